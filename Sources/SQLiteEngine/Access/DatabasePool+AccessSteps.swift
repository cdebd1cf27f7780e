/// The nongeneric parts of reads and writes, which need no specialization.
extension DatabasePool {
    @usableFromInline
    func beginRead(_ site: AccessSite) throws -> Database {
        let thread = ThreadState.current
        readers.preconditionNotReentrant(thread)
        let slot = try readers.enter(thread, site, .read)
        let database = slot.openDatabase
        do {
            try database.beginReadAccess()
        } catch {
            readers.leave(slot)
            throw error
        }
        return database
    }

    @usableFromInline
    func endRead(_ database: Database) throws {
        var end: UInt64 = 0
        do {
            if try database.endReadAccess(
                mayHaveWritten: false,
                mayKeep: { readers.allowsKeeping }
            ) {
                // The decision to keep the transaction has just read the clock.
                end = database.kept.pointee.lastEnd
            }
        } catch {
            readers.leave(database)
            throw error
        }
        readers.leave(database, at: end)
    }

    @usableFromInline
    func abandonRead(_ database: Database) {
        database.abandonTransaction()
        readers.leave(database)
    }

    @usableFromInline
    func beginWrite(_ site: AccessSite) throws -> Database {
        let thread = ThreadState.current
        writer.preconditionNotReentrant(thread)
        let slot = try writer.enter(thread, site, .write)
        let database = slot.openDatabase
        do {
            try database.beginWriteAccess()
        } catch {
            writer.leave(slot)
            throw error
        }
        return database
    }

    @usableFromInline
    func endWrite(_ database: Database) throws {
        do {
            try database.endWriteAccess()
        } catch {
            writer.leave(database)
            throw error
        }
        writer.leave(database)
    }

    @usableFromInline
    func abandonWrite(_ database: Database) {
        database.abandonTransaction()
        writer.leave(database)
    }
}
