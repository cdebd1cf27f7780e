// A driver for poolgauge (docs/Drivers.md): JDBC with org.xerial.sqlite-jdbc, and a pool of
// `readers` connections (10 by default, as in HikariCP).
import java.io.*;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.*;
import static java.nio.charset.StandardCharsets.UTF_8;
import java.sql.*;
import java.util.*;
import java.util.concurrent.*;

@SuppressWarnings("unchecked")
class Driver {
    /** A JSON reader, which the JDK lacks. Numbers become Long or Double. */
    static class Json {
        final String text;
        int at = 0;

        Json(String text) { this.text = text; }
        char peek() {
            while (" \t,:".indexOf(text.charAt(at)) >= 0) at++;
            return text.charAt(at);
        }
        Object value() {
            char first = peek();
            if (first == '"') return string();
            if (first != '[' && first != '{') return word();
            var list = new ArrayList<Object>();
            var map = new HashMap<String, Object>();
            for (at++; peek() != ']' && peek() != '}'; ) {
                if (first == '[') list.add(value()); else map.put(string(), value());
            }
            at++;
            return first == '[' ? list : map;
        }
        String string() {
            var result = new StringBuilder();
            for (at++; text.charAt(at) != '"'; at++) {
                char c = text.charAt(at);
                if (c == '\\' && (c = text.charAt(++at)) == 'u') {
                    c = (char) Integer.parseInt(text.substring(at + 1, at += 5), 16);
                    at--;
                } else if (text.charAt(at - 1) == '\\' && "nrt".indexOf(c) >= 0) c = "\n\r\t".charAt("nrt".indexOf(c));
                result.append(c);
            }
            at++;
            return result.toString();
        }
        Object word() {
            int start = at;
            while (",]}".indexOf(text.charAt(at)) < 0) at++;
            String word = text.substring(start, at);
            if (word.equals("null")) return null;
            return word.indexOf('.') >= 0 || word.indexOf('e') >= 0 ? (Object) Double.parseDouble(word) : (Object) Long.parseLong(word);
        }
    }

    /** A connection with its prepared statements. */
    static class Client {
        final Connection connection;
        final List<List<PreparedStatement>> accesses = new ArrayList<>();
        final List<List<Integer>> parameters = new ArrayList<>();

        Client(Map<?, ?> setup) throws SQLException {
            connection = DriverManager.getConnection("jdbc:sqlite:" + setup.get("database"));
            try (var statement = connection.createStatement()) {
                if (setup.get("busyTimeout") != null) statement.execute("PRAGMA busy_timeout = " + setup.get("busyTimeout"));
                for (var pragma : (List<?>) setup.get("pragmas")) statement.execute((String) pragma);
            }
            for (var access : (List<Map<?, ?>>) setup.get("accesses")) {
                var list = (List<Map<?, ?>>) access.get("statements");
                // A single statement is a read transaction of its own. Others start and end one.
                boolean isWrite = access.get("kind").equals("write");
                boolean isTransaction = isWrite || access.get("kind").equals("read") && list.size() > 1;
                accesses.add(new ArrayList<>());
                parameters.add(new ArrayList<>());
                if (isTransaction) add(isWrite ? (String) setup.get("begin") : "BEGIN DEFERRED", 0);
                for (var s : list) add((String) s.get("sql"), ((Long) s.get("parameters")).intValue());
                if (isTransaction) add("COMMIT", 0);
            }
            accesses.add(List.of());  // The access -1 has no statements.
        }

        private void add(String sql, int count) throws SQLException {
            accesses.get(accesses.size() - 1).add(connection.prepareStatement(sql));
            parameters.get(accesses.size() - 1).add(count);
        }

        /** Returns the number of rows, or the failure as text. */
        Object perform(int id, List<?> request) {
            int next = 1, rows = 0;
            if (id < 0) id = accesses.size() - 1;
            try {
                for (int k = 0; k < accesses.get(id).size(); k++) {
                    var statement = accesses.get(id).get(k);
                    for (int i = 1; i <= parameters.get(id).get(k); i++) statement.setObject(i, request.get(next++));
                    if (!statement.execute()) continue;
                    try (var result = statement.getResultSet()) { while (result.next()) rows++; }
                }
                return rows;
            } catch (SQLException error) {
                if (accesses.get(id).size() > 1) {
                    try (var s = connection.createStatement()) { s.execute("ROLLBACK"); } catch (SQLException e) { }
                }
                return error.getErrorCode() + " " + error.getMessage();
            }
        }
    }

    /** Blobs and large integers are objects. */
    static Object value(Object json) {
        if (!(json instanceof Map<?, ?> map)) return json;
        var hex = (String) map.get("b");
        return hex == null ? (Object) Long.parseLong((String) map.get("i")) : HexFormat.of().parseHex(hex);
    }

    /** A thread gets the connection that it used last, as in HikariCP, unless another one has it. */
    static void lane(String path, BlockingDeque<Client> pool) {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
            var in = new BufferedReader(new InputStreamReader(Channels.newInputStream(channel), UTF_8));
            var out = Channels.newOutputStream(channel);
            for (String line; (line = in.readLine()) != null; ) {
                var answer = new StringBuilder("[");
                for (var request : (List<List<Object>>) new Json(line).value()) {
                    request.replaceAll(Driver::value);
                    int id = ((Long) request.get(0)).intValue();
                    if (answer.length() > 1) answer.append(',');
                    long start = System.nanoTime();
                    var client = pool.take();
                    long entry = System.nanoTime();
                    String result = quoted(client.perform(id, request));
                    pool.putFirst(client);
                    answer.append(entry - start).append(',').append(System.nanoTime() - entry).append(',').append(result);
                }
                out.write(answer.append("]\n").toString().getBytes(UTF_8));
            }
        } catch (IOException | InterruptedException error) { /* The run has ended. */ }
    }

    static String quoted(Object result) {
        if (!(result instanceof String text)) return "" + result;
        return '"' + text.substring(0, Math.min(200, text.length())).replaceAll("[\"\\\\\\p{Cntrl}]", "'") + '"';
    }

    public static void main(String[] arguments) throws Exception {
        var input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        var setup = (Map<?, ?>) new Json(input.readLine()).value();
        var pool = new LinkedBlockingDeque<Client>();
        try {
            if (setup.get("busyPause") != null) throw new SQLException("JDBC has no constant pause; remove 'retry'");
            for (long i = setup.get("readers") == null ? 10 : (Long) setup.get("readers"); i > 0; i--) pool.add(new Client(setup));
            var version = pool.peek().connection.getMetaData().getDatabaseProductVersion();
            System.out.printf("{\"ready\":true,\"runtime\":\"Java %s\",\"sqlite\":\"%s\"}%n", System.getProperty("java.version"), version);
        } catch (SQLException error) {
            System.out.printf("{\"error\":%s}%n", quoted(error.getMessage()));
        }
        for (String line; (line = input.readLine()) != null; ) {
            var request = (Map<?, ?>) new Json(line).value();
            for (long lane = (Long) request.get("lanes"); lane > 0; lane--) {
                new Thread(() -> lane((String) request.get("socket"), pool)).start();
            }
        }
        System.exit(0);
    }
}
