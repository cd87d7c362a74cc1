use incast_signals::FairRateOptions;

use super::*;

/// The name in an algorithm's request for a program is the name of the program's row.
#[test]
fn a_program_is_found_by_the_name_of_its_options() {
    let options = FairRateOptions {
        period: Some(Time::from_us(20)),
        queue_gain: Some(0.1),
        ..FairRateOptions::default()
    };
    let request = ProgramRequest::new(&options);
    let found = SwitchProgram::requested(&request);
    assert_eq!(found, Ok(SwitchProgram::FairRates(options)));
}

#[test]
fn an_unknown_program_and_an_unknown_option_are_refused() {
    let mut request = ProgramRequest::new(&FairRateOptions::default());
    request.options["speed"] = "high".into();
    let refused = SwitchProgram::requested(&request).unwrap_err().what;
    assert!(
        refused.starts_with("switch program `fair-rates`: unknown field `speed`"),
        "{refused}"
    );
    request.name = "fair-rate";
    let refused = SwitchProgram::requested(&request).unwrap_err().what;
    assert!(
        refused.contains("unknown switch program `fair-rate`"),
        "{refused}"
    );
    assert!(refused.contains("fair-rates"), "{refused}");
}
