//! The few options of the verbs: `--name`, `--name VALUE`, `--name=VALUE`.
//!
//! Must never: grow into a command-line library; leadline itself has one, xtask stays quick to build.

use anyhow::{Result, anyhow, bail};

/// The options of one call, taken out one by one; what is left over at the end is an error.
#[derive(Debug)]
pub(crate) struct Args {
    left: Vec<String>,
}

impl Args {
    /// Takes the words after the verb.
    pub(crate) fn new(words: &[String]) -> Self {
        Self {
            left: words.to_vec(),
        }
    }

    /// Whether `--name` was given; takes it out.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        match self.left.iter().position(|word| word == name) {
            Some(at) => {
                self.left.remove(at);
                true
            }
            None => false,
        }
    }

    /// The value of `--name VALUE` or `--name=VALUE`; takes it out.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        let joined = format!("{name}=");
        for at in 0..self.left.len() {
            if let Some(value) = self.left[at].strip_prefix(&joined) {
                let value = value.to_owned();
                self.left.remove(at);
                return Ok(Some(value));
            }
            if self.left[at] == name {
                if at + 1 >= self.left.len() {
                    bail!("{name} needs a value");
                }
                let value = self.left.remove(at + 1);
                self.left.remove(at);
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The value of `--name` as a number.
    pub(crate) fn number(&mut self, name: &str) -> Result<Option<u32>> {
        let Some(text) = self.value(name)? else {
            return Ok(None);
        };
        let number = text
            .parse()
            .map_err(|_| anyhow!("{name} needs a whole number, got `{text}`"))?;
        Ok(Some(number))
    }

    /// The comma-separated value of `--name`; empty when it was not given.
    pub(crate) fn list(&mut self, name: &str) -> Result<Vec<String>> {
        let text = self.value(name)?.unwrap_or_default();
        Ok(text
            .split(',')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect())
    }

    /// Refuses whatever no option took.
    pub(crate) fn finish(self) -> Result<()> {
        match self.left.first() {
            Some(word) => bail!("unknown option `{word}` (see `cargo xtask help`)"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(text: &str) -> Args {
        Args::new(
            &text
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn both_spellings_of_a_value_are_taken() {
        let mut given = args("--pairs 7 --only=a,b --list");
        assert_eq!(given.number("--pairs").unwrap(), Some(7));
        assert_eq!(given.list("--only").unwrap(), ["a", "b"]);
        assert!(given.flag("--list"));
        assert!(!given.flag("--list"));
        given.finish().unwrap();
    }

    #[test]
    fn what_is_wrong_is_refused() {
        assert!(args("--pairs").number("--pairs").is_err());
        assert!(args("--pairs many").number("--pairs").is_err());
        let error = args("--pears 3").finish().unwrap_err().to_string();
        assert!(error.contains("--pears"), "{error}");
    }
}
