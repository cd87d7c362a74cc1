//! Checks that numbers are in the ranges of an algorithm's schema.

use incast_diagnostic::{Diagnostic, Placed as _};
use schemars::generate::SchemaSettings;
use serde_json::Value;
use toml::Table;

use super::{CcSection, Values};

impl CcSection {
    /// Checks that every number is in its range.
    pub(crate) fn check_ranges(&self) -> Result<(), Diagnostic> {
        let settings = SchemaSettings::draft2020_12().with(|all| all.inline_subschemas = true);
        let schema = self.algorithm.schema(&mut settings.into_generator());
        let parameters = Table::try_from(Values(&self.algorithm)).map_err(|_| {
            // Only parameters of an external algorithm can get here.
            let what = "a parameter is not finite, or no whole number of 64 bits";
            Diagnostic::new(what, "write finite numbers, whole ones below 2^63")
        })?;
        check(schema.as_value(), &parameters)
    }
}

fn check(schema: &Value, table: &Table) -> Result<(), Diagnostic> {
    for (key, value) in table {
        let schema = &schema["properties"][key];
        let whole = value.as_integer().map(|whole| whole as f64);
        if let Some(number) = value.as_float().or(whole) {
            check_number(schema, number).at(key)?;
        } else if let Some(table) = value.as_table() {
            check(of_table(schema), table).at(key)?;
        }
    }
    Ok(())
}

/// The schema of an optional table.
fn of_table(schema: &Value) -> &Value {
    let forms = schema["anyOf"].as_array().into_iter().flatten();
    let mut tables = forms.filter(|form| form.get("properties").is_some());
    tables.next().unwrap_or(schema)
}

fn check_number(schema: &Value, number: f64) -> Result<(), Diagnostic> {
    let bound = |name: &str| schema[name].as_f64();
    let (least, most) = (bound("minimum"), bound("maximum"));
    let above = bound("exclusiveMinimum");
    let fits = least.is_none_or(|least| number >= least)
        && most.is_none_or(|most| number <= most)
        && above.is_none_or(|above| number > above);
    if fits {
        return Ok(());
    }
    let hint = match (least, above, most) {
        (Some(least), _, Some(most)) => format!("write {least} to {most}"),
        (Some(least), _, None) => format!("write at least {least}"),
        (None, Some(above), Some(most)) => format!("write more than {above}, up to {most}"),
        (None, Some(above), None) => format!("write more than {above}"),
        (None, None, most) => format!("write at most {}", most.unwrap_or_default()),
    };
    Err(Diagnostic::new(format!("`{number}` is out of range"), hint))
}

#[cfg(test)]
mod tests {
    use crate::spec::{Source, Spec};

    /// External algorithms have no schema that would refuse these numbers earlier.
    #[test]
    fn parameters_of_external_algorithms_are_finite() {
        let text = "[network]\ntopology = \"star\"\n[cc]\nalgorithm = \"external\"\nx = nan\n\
                    [[traffic]]\nkind = \"permutation\"\nsizes = \"1KB\"\n";
        let spec = Spec::parse(&Source::from_text("run.toml", text), &[]);
        let refused = spec.and_then(Spec::validate).expect_err("not a number");
        let expected = "run.toml:3: cc: a parameter is not finite, or no whole number of 64 bits; \
                        write finite numbers, whole ones below 2^63";
        assert_eq!(refused.to_string(), expected);
    }
}
