"""Follows the modes that a program's output sets in a terminal."""
import re

# Private modes that a program must leave off, by number (xterm's "DEC Private Mode Set").
OFF = {
    1: "application cursor keys", 5: "reverse video", 47: "the alternate screen",
    1047: "the alternate screen", 1049: "the alternate screen", 1000: "mouse reports",
    1002: "mouse reports", 1003: "mouse reports", 1005: "mouse reports", 1006: "mouse reports",
    1015: "mouse reports", 2004: "bracketed paste"}
CURSOR = 25
# Attributes and the codes that end them.
ENDS = {22: {1, 2}, 23: {3}, 24: {4}, 25: {5}, 27: {7}, 28: {8}, 29: {9}, 39: {30}, 49: {40}}


class Modes:
    """The state of a terminal that has received some output. ESC, CAN, and SUB end an incomplete
    sequence, as in all terminals."""

    def __init__(self):
        self.on = {CURSOR}
        self.attributes = set()
        self.has_used_alternate_screen = False
        self.keypad = self.shifted = self.draws_lines = False
        self.state = self.ground
        self.text = ""

    def feed(self, output):
        for byte in output:
            self.state(chr(byte))

    def ground(self, character):
        if character == "\x1b":
            self.state = self.escape
        elif character in "\x0e\x0f":
            self.shifted = character == "\x0e"

    def escape(self, character):
        self.text = ""
        self.state = self.ground
        if character == "[":
            self.state = self.control
        elif character in "]P_^X":
            self.state = self.string
        elif character in " #%()*+-./":
            self.text = character
            self.state = self.charset
        elif character in "=>":
            self.keypad = character == "="
        elif character == "c":
            self.__init__()
        elif character == "\x1b":
            self.state = self.escape

    def charset(self, character):
        if self.text == "(":
            self.draws_lines = character == "0"
        self.state = self.escape if character == "\x1b" else self.ground

    def string(self, character):
        if character in "\x07\x18\x1a":
            self.state = self.ground
        elif character == "\x1b":
            self.state = self.escape

    def control(self, character):
        if character == "\x1b":
            self.state = self.escape
        elif character in "\x18\x1a":
            self.state = self.ground
        elif "@" <= character <= "~":
            self.state = self.ground
            self.end_control(character)
        elif character >= " ":
            self.text += character

    def end_control(self, final):
        if final in "hl" and self.text.startswith("?"):
            numbers = {int(number) for number in re.findall(r"\d+", self.text)}
            self.on = self.on | numbers if final == "h" else self.on - numbers
            self.has_used_alternate_screen |= bool(self.on & {47, 1047, 1049})
        elif final == "m" and not self.text.startswith((">", "?")):
            self.end_attributes(self.text.split(";"))

    def end_attributes(self, codes):
        while codes:
            code = codes.pop(0)
            number = int(re.match(r"\d*", code)[0] or 0)
            if number in (38, 48) and ":" not in code:
                # 5;index or 2;red;green;blue follow.
                count = {"5": 2, "2": 4}.get(codes[0] if codes else "", 0)
                del codes[:count]
            if number == 0:
                self.attributes = set()
            elif number in ENDS:
                self.attributes -= ENDS[number]
            elif 30 <= number <= 38 or 90 <= number <= 97:
                self.attributes.add(30)
            elif 40 <= number <= 48 or 100 <= number <= 107:
                self.attributes.add(40)
            else:
                self.attributes.add(number)

    def problems(self):
        """Yields the modes that a shell would inherit."""
        for mode in sorted(self.on & set(OFF)):
            yield f"mode {mode} is on: {OFF[mode]}"
        if CURSOR not in self.on:
            yield "the cursor is hidden"
        if self.attributes:
            yield f"attributes are on: {sorted(self.attributes)}"
        if self.keypad:
            yield "the keypad sends application codes"
        if self.shifted or self.draws_lines:
            yield "another character set is selected"
        if self.state != self.ground:
            yield "the output ends within an escape sequence"
