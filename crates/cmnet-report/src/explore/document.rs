//! The page itself: one file of HTML with its style, its script and the model's record.

use crate::policy::digest;
use serde::Serialize;

const TEMPLATE: &str = include_str!("../../page/explore.html");
const STYLE: &str = include_str!("../../page/explore.css");

/// One script of several files, which share their names.
const SCRIPT: &str = concat!(
    include_str!("../../page/elements.js"),
    include_str!("../../page/tree.js"),
    include_str!("../../page/strength.js"),
    include_str!("../../page/network.js"),
    include_str!("../../page/state.js"),
    include_str!("../../page/places.js"),
    include_str!("../../page/box.js"),
    include_str!("../../page/picture.js"),
    include_str!("../../page/panel.js"),
    include_str!("../../page/save.js"),
    include_str!("../../page/main.js"),
);

/// Puts a record into the page.
pub(super) fn page(record: &impl Serialize) -> String {
    // A record is made of texts and numbers, which JSON always takes.
    let model = serde_json::to_string(record).unwrap_or_default();
    filled(TEMPLATE, &policy(STYLE, SCRIPT), STYLE, &for_script(&model), SCRIPT)
}

/// Nothing but this style and this script, by their digests; images only of the page's own making.
fn policy(style: &str, script: &str) -> String {
    format!(
        "default-src 'none'; script-src {}; style-src {}; img-src data: blob:; \
         base-uri 'none'; form-action 'none'",
        digest(script),
        digest(style)
    )
}

/// JSON that cannot end the element it stands in: a less-than sign is only ever inside a text.
fn for_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

/// The template with its four places filled, in order: what is filled in is never searched.
fn filled(template: &str, policy: &str, style: &str, model: &str, script: &str) -> String {
    let mut page = String::with_capacity(template.len() + style.len() + model.len() + script.len() + 400);
    let mut rest = template;
    for (mark, text) in
        [("{{policy}}", policy), ("{{style}}", style), ("{{model}}", model), ("{{script}}", script)]
    {
        if let Some((before, after)) = rest.split_once(mark) {
            page.push_str(before);
            page.push_str(text);
            rest = after;
        }
    }
    page.push_str(rest);
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_cannot_leave_its_element() {
        let hostile = ["</script><script>alert(1)</script>", "{{script}}", "<!--<script>"];
        let page = page(&hostile);
        assert_eq!(page.matches("<script").count(), TEMPLATE.matches("<script").count());
        assert_eq!(page.matches("</script>").count(), 2);
        assert!(page.contains("{{script}}") && !page.contains("{{model}}"));
    }

    #[test]
    fn the_code_of_a_page_is_small_and_cannot_end_its_element() {
        assert!(TEMPLATE.len() + STYLE.len() + SCRIPT.len() < 150_000);
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style") && !SCRIPT.contains("<!--"));
        for banned in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://"]
        {
            let found = SCRIPT.replace("http://www.w3.org/2000/svg", "").contains(banned);
            assert!(!found, "{banned}");
        }
    }
}
