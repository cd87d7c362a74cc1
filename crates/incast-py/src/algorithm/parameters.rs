//! Parameters of an algorithm in Python: the fields of its dataclass, and the values, with units,
//! that a scenario gives them.

use std::str::FromStr;

use incast_cc::Window;
use incast_diagnostic::{Diagnostic, Placed as _};
use incast_units::{Bytes, Rate, Time};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::{Map, Value};

use super::PyWindow;

/// A field: its name, and its default, whose type is the field's.
pub(super) struct Parameter {
    name: String,
    default: ParameterValue,
}

/// A value, by kind.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ParameterValue {
    Time(Time),
    Rate(Rate),
    Bytes(Bytes),
    Window(Window),
    Number(f64),
    Whole(i64),
    Switch(bool),
    Text(String),
}

impl FromPyObject<'_, '_> for Parameter {
    type Error = PyErr;

    /// A parameter from a tuple: name, kind, default.
    fn extract(field: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let field = field.cast::<PyTuple>()?;
        let (name, kind) = (field.get_item(0)?.extract()?, field.get_item(1)?);
        let default = field.get_item(2)?;
        let kind: String = kind.extract()?;
        let default = match kind.as_str() {
            "time" => ParameterValue::Time(Time::from_ps(default.extract()?)),
            "rate" => ParameterValue::Rate(Rate::from_bps(default.extract()?)),
            "bytes" => ParameterValue::Bytes(Bytes::new(default.extract()?)),
            "window" => ParameterValue::Window(default.cast::<PyWindow>()?.get().0),
            "float" => ParameterValue::Number(default.extract()?),
            "int" => ParameterValue::Whole(default.extract()?),
            "bool" => ParameterValue::Switch(default.extract()?),
            "str" => ParameterValue::Text(default.extract()?),
            other => return Err(PyTypeError::new_err(format!("no kind `{other}`"))),
        };
        Ok(Self { name, default })
    }
}

impl ParameterValue {
    /// Reads a value of the parameter's kind from a scenario.
    fn read(&self, value: &Value) -> Result<Self, Diagnostic> {
        Ok(match self {
            Self::Time(_) => Self::Time(quantity(value, "10us")?),
            Self::Rate(_) => Self::Rate(quantity(value, "50Mbps")?),
            Self::Bytes(_) => Self::Bytes(quantity(value, "50KB")?),
            Self::Window(_) => Self::Window(quantity(value, "1 packet")?),
            Self::Number(_) => Self::Number(value.as_f64().ok_or_else(|| not(value, "a number"))?),
            Self::Whole(_) => {
                Self::Whole(value.as_i64().ok_or_else(|| not(value, "a whole number"))?)
            }
            Self::Switch(_) => {
                Self::Switch(value.as_bool().ok_or_else(|| not(value, "true or false"))?)
            }
            Self::Text(_) => {
                let text = value.as_str().ok_or_else(|| not(value, "text in quotes"))?;
                Self::Text(text.to_owned())
            }
        })
    }

    fn write(&self) -> Value {
        match self {
            Self::Time(time) => time.to_string().into(),
            Self::Rate(rate) => rate.to_string().into(),
            Self::Bytes(bytes) => bytes.to_string().into(),
            Self::Window(window) => window.to_string().into(),
            Self::Number(number) => (*number).into(),
            Self::Whole(number) => (*number).into(),
            Self::Switch(switch) => (*switch).into(),
            Self::Text(text) => text.as_str().into(),
        }
    }

    pub(super) fn to_python(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(match self {
            Self::Time(time) => time.as_ps().into_pyobject(py)?.into_any().unbind(),
            Self::Rate(rate) => rate.as_bps().into_pyobject(py)?.into_any().unbind(),
            Self::Bytes(bytes) => bytes.as_u64().into_pyobject(py)?.into_any().unbind(),
            Self::Window(window) => Py::new(py, PyWindow(*window))?.into_any(),
            Self::Number(number) => number.into_pyobject(py)?.into_any().unbind(),
            Self::Whole(number) => number.into_pyobject(py)?.into_any().unbind(),
            Self::Switch(switch) => switch.into_pyobject(py)?.to_owned().into_any().unbind(),
            Self::Text(text) => text.into_pyobject(py)?.into_any().unbind(),
        })
    }
}

fn quantity<T: FromStr<Err = Diagnostic>>(value: &Value, example: &str) -> Result<T, Diagnostic> {
    match value {
        Value::String(text) => text.parse(),
        Value::Number(number) => {
            let hint = format!("write it with its unit, e.g. \"{example}\"");
            Err(Diagnostic::new(format!("`{number}` has no unit"), hint))
        }
        other => Err(not(other, &format!("e.g. \"{example}\""))),
    }
}

fn not(value: &Value, expected: &str) -> Diagnostic {
    let what = match value {
        Value::Bool(switch) => format!("`{switch}` is a boolean"),
        Value::Number(number) => format!("`{number}` is a number"),
        Value::String(text) => format!("`\"{text}\"` is text"),
        Value::Array(_) => "this is an array".to_owned(),
        Value::Object(_) => "this is a table".to_owned(),
        // JSON writes infinity and NaN as null; TOML has no null.
        Value::Null => "this is not finite".to_owned(),
    };
    Diagnostic::new(what, format!("write {expected}"))
}

/// The value of each parameter: from the scenario, or else the default.
pub(super) fn read(
    known: &[Parameter],
    given: &Map<String, Value>,
) -> Result<Vec<(String, ParameterValue)>, Diagnostic> {
    let is_known = |key: &&String| known.iter().any(|parameter| parameter.name == **key);
    if let Some(unknown) = given.keys().find(|key| !is_known(key)) {
        let names = known.iter().map(|parameter| parameter.name.as_str());
        return Err(Diagnostic::unknown("key", unknown, names).at(unknown));
    }
    let values = known.iter().map(|Parameter { name, default }| {
        let value = match given.get(name) {
            Some(value) => default.read(value).at(name)?,
            None => default.clone(),
        };
        Ok((name.clone(), value))
    });
    values.collect()
}

/// The parameters as they stand in a scenario with every default filled in.
pub(super) fn written(values: &[(String, ParameterValue)]) -> Map<String, Value> {
    let entries = values.iter();
    entries
        .map(|(name, value)| (name.clone(), value.write()))
        .collect()
}
