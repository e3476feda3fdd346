//! Whole-number arithmetic: `+ - * / % ^`, parentheses, units. Pure; never panics.

/// Evaluates an expression of whole numbers. `unit` gives the factor of a word after a number, or
/// nothing when it knows none.
///
/// # Errors
/// What is wrong with it, for people.
pub(crate) fn evaluate(text: &str, unit: &dyn Fn(&str) -> Option<i64>) -> Result<i64, String> {
    let mut parser = Parser {
        rest: text,
        unit,
        depth: 0,
    };
    let value = parser.sum()?;
    parser.blanks();
    if parser.rest.is_empty() {
        Ok(value)
    } else {
        Err(format!("`{}` is not understood", parser.rest))
    }
}

struct Parser<'a> {
    rest: &'a str,
    unit: &'a dyn Fn(&str) -> Option<i64>,
    depth: u32,
}

impl Parser<'_> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, wanted: &[char]) -> Option<char> {
        self.blanks();
        let next = self.rest.chars().next().filter(|c| wanted.contains(c))?;
        self.rest = &self.rest[next.len_utf8()..];
        Some(next)
    }

    fn sum(&mut self) -> Result<i64, String> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let other = self.product()?;
            value = match sign {
                '+' => value.checked_add(other),
                _ => value.checked_sub(other),
            }
            .ok_or("the number is too large")?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<i64, String> {
        let mut value = self.power()?;
        while let Some(sign) = self.take(&['*', '/', '%']) {
            let other = self.power()?;
            value = match sign {
                '*' => value.checked_mul(other).ok_or("the number is too large"),
                '/' => value.checked_div(other).ok_or("division by zero"),
                _ => value.checked_rem(other).ok_or("division by zero"),
            }?;
        }
        Ok(value)
    }

    fn power(&mut self) -> Result<i64, String> {
        let base = self.atom()?;
        if self.take(&['^']).is_none() {
            return Ok(base);
        }
        // A tower of powers nests as parentheses do.
        self.deeper()?;
        let exponent = self.power()?;
        self.depth -= 1;
        let exponent = u32::try_from(exponent).map_err(|_| "the exponent is out of range")?;
        base.checked_pow(exponent)
            .ok_or_else(|| "the number is too large".to_owned())
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > 100 {
            return Err("it nests too deeply".to_owned());
        }
        Ok(())
    }

    fn atom(&mut self) -> Result<i64, String> {
        if let Some(open) = self.take(&['(', '-', '+']) {
            self.deeper()?;
            let value = match open {
                '(' => self.sum()?,
                '-' => self
                    .atom()?
                    .checked_neg()
                    .ok_or("the number is too large")?,
                _ => self.atom()?,
            };
            self.depth -= 1;
            if open == '(' && self.take(&[')']).is_none() {
                return Err("a closing parenthesis is missing".to_owned());
            }
            return self.with_unit(value);
        }
        self.blanks();
        let (radix, skip) = match self.rest.get(..2) {
            Some("0x" | "0X") => (16, 2),
            _ => (10, 0),
        };
        let digits: String = self.rest[skip..]
            .chars()
            .take_while(|c| c.is_digit(radix))
            .collect();
        if digits.is_empty() {
            return Err("a number is missing".to_owned());
        }
        self.rest = &self.rest[skip + digits.len()..];
        let value = i64::from_str_radix(&digits, radix)
            .map_err(|_| "the number is too large".to_owned())?;
        self.with_unit(value)
    }

    fn with_unit(&mut self, value: i64) -> Result<i64, String> {
        let length = self
            .rest
            .bytes()
            .take_while(u8::is_ascii_alphabetic)
            .count();
        if length == 0 {
            return Ok(value);
        }
        let (word, rest) = self.rest.split_at(length);
        let factor = (self.unit)(word).ok_or_else(|| format!("`{word}` is not a unit"))?;
        self.rest = rest;
        value
            .checked_mul(factor)
            .ok_or_else(|| "the number is too large".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calculates_with_precedence_and_units() {
        let unit = |word: &str| (word == "k").then_some(1024);
        let eval = |text: &str| evaluate(text, &unit);
        assert_eq!(eval("(4k*2)"), Ok(8192));
        assert_eq!(eval("1+2*3-4/2"), Ok(5));
        assert_eq!(eval("2^3^2 % 100"), Ok(12));
        assert_eq!(eval("-(2+1)"), Ok(-3));
        assert_eq!(eval("0x10"), Ok(16));
        assert!(eval("1/0").is_err());
        assert!(eval("4q").is_err());
        assert!(eval("(1").is_err());
        assert!(eval("").is_err());
        assert!(eval(&"(".repeat(100_000)).is_err());
        assert!(eval(&"2^".repeat(100_000)).is_err());
        assert!(eval("9223372036854775807+1").is_err());
    }
}
