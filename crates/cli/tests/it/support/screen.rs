//! What a terminal makes of the text it gets: as much of one as progress needs.

/// A terminal's lines, those scrolled away before them, and its cursor.
pub(crate) struct Screen {
    columns: usize,
    rows: usize,
    lines: Vec<Vec<char>>,
    row: usize,
    column: usize,
    continues: bool,
}

impl Screen {
    /// An empty one.
    pub(crate) fn new(columns: usize, rows: usize) -> Self {
        Self {
            columns,
            rows,
            lines: vec![Vec::new()],
            row: 0,
            column: 0,
            continues: true,
        }
    }

    /// Shows `text`; a sequence that it does not know is a failure.
    pub(crate) fn show(&mut self, text: &str) {
        let mut rest = text.chars();
        while let Some(c) = rest.next() {
            match c {
                '\r' => self.column = 0,
                '\n' => self.next_line(),
                '\u{1b}' => {
                    assert_eq!(rest.next(), Some('['), "{text:?}");
                    let mut codes = String::new();
                    let end = loop {
                        match rest.next().unwrap() {
                            c if c.is_ascii_digit() || ";?".contains(c) => codes.push(c),
                            end => break end,
                        }
                    };
                    self.sequence(&codes, end);
                }
                c => self.put(c),
            }
        }
    }

    fn sequence(&mut self, codes: &str, end: char) {
        match (codes, end) {
            (_, 'm') => {}
            ("?7", 'l') => self.continues = false,
            ("?7", 'h') => self.continues = true,
            ("", 'K') => self.lines[self.row].truncate(self.column),
            ("", 'J') => {
                self.lines[self.row].truncate(self.column);
                self.lines.truncate(self.row + 1);
            }
            (up, 'A') => {
                let top = self.lines.len().saturating_sub(self.rows);
                let up: usize = up.parse().unwrap();
                self.row = self.row.saturating_sub(up).max(top);
            }
            other => panic!("{other:?}"),
        }
    }

    fn next_line(&mut self) {
        self.row += 1;
        if self.row == self.lines.len() {
            self.lines.push(Vec::new());
        }
    }

    fn put(&mut self, c: char) {
        if self.column == self.columns {
            if self.continues {
                self.column = 0;
                self.next_line();
            } else {
                self.column -= 1;
            }
        }
        let line = &mut self.lines[self.row];
        line.resize(line.len().max(self.column + 1), ' ');
        line[self.column] = c;
        self.column += 1;
    }

    /// All lines, without blanks at their ends.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |line: &Vec<char>| line.iter().collect::<String>().trim_end().to_owned();
        self.lines.iter().map(line).collect()
    }
}
