//! JSON laid out for people and for `diff`: one fact per line, short lists on one line.

use serde_json::Value;

/// The longest list that is written on one line.
const LINE: usize = 100;

/// A JSON document with two-space indentation, its short lists on one line, and a line
/// break at its end.
pub fn json_to_text(value: &Value) -> String {
    let mut text = String::new();
    write(value, 0, &mut text);
    text.push('\n');
    text
}

fn write(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            if let Some(line) = one_line(value).filter(|_| depth > 1) {
                text.push_str(&line);
                return;
            }
            let write_field = |(key, value): (&String, &Value), text: &mut String| {
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push_str(": ");
                write(value, depth + 1, text);
            };
            block(('{', '}'), depth, text, fields.iter(), write_field);
        }
        Value::Array(items) if !items.is_empty() => match one_line(value).filter(|_| depth > 1) {
            Some(line) => text.push_str(&line),
            None => block(('[', ']'), depth, text, items.iter(), |item, text| write(item, depth + 1, text)),
        },
        other => text.push_str(&other.to_string()),
    }
}

fn block<T>(
    (open, close): (char, char),
    depth: usize,
    text: &mut String,
    items: impl ExactSizeIterator<Item = T>,
    mut write_item: impl FnMut(T, &mut String),
) {
    let count = items.len();
    text.push(open);
    for (place, item) in items.enumerate() {
        text.push('\n');
        text.push_str(&"  ".repeat(depth + 1));
        write_item(item, text);
        if place + 1 < count {
            text.push(',');
        }
    }
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
    text.push(close);
}

/// The value with a space after each comma and colon, if that is short enough.
fn one_line(value: &Value) -> Option<String> {
    let mut line = String::new();
    write_inline(value, &mut line)?;
    Some(line)
}

fn write_inline(value: &Value, line: &mut String) -> Option<()> {
    match value {
        Value::Array(items) => {
            line.push('[');
            for (place, item) in items.iter().enumerate() {
                line.push_str(if place > 0 { ", " } else { "" });
                write_inline(item, line)?;
            }
            line.push(']');
        }
        Value::Object(fields) => {
            line.push('{');
            for (place, (key, item)) in fields.iter().enumerate() {
                line.push_str(if place > 0 { ", " } else { "" });
                line.push_str(&Value::from(key.as_str()).to_string());
                line.push_str(": ");
                write_inline(item, line)?;
            }
            line.push('}');
        }
        other => line.push_str(&other.to_string()),
    }
    (line.len() <= LINE).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn short_lists_stay_on_one_line_and_everything_parses_back() {
        let long: Vec<u32> = (0..60).collect();
        let value =
            json!({"a": [["x", "y"], ["z", "w"]], "b": {"c": 1.5, "d": [], "e": {}}, "f": [long], "g": []});
        let text = json_to_text(&value);
        assert!(text.contains("\n    [\"x\", \"y\"],\n"));
        assert!(text.lines().all(|line| line.len() <= 2 * LINE));
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
