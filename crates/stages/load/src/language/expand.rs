//! `${NAME}` and fio's keywords in the lines of a job file.

use super::error::Bad;

/// A variable of the environment, by name.
pub(super) type Env<'a> = &'a mut dyn FnMut(&str) -> Option<String>;

/// An option with its variables and keywords replaced. A variable that is not set is empty, as in fio. A line in which
/// a keyword was replaced is calculated, if there is anything to calculate.
pub(super) fn expand(line: &str, env: Env) -> Result<String, Bad> {
    let line = variables(line, env);
    let mut text = line.clone();
    for keyword in ["$pagesize", "$mb_memory", "$ncpus"] {
        if text.contains(keyword) {
            let value = env(keyword)
                .or_else(|| of_machine(keyword))
                .ok_or_else(|| {
                    Bad::value(
                        format!("{keyword} is not known on this machine"),
                        "Write the number",
                    )
                })?;
            text = text.replace(keyword, &value);
        }
    }
    if text == line {
        Ok(text)
    } else {
        calculate(text)
    }
}

fn variables(line: &str, env: Env) -> String {
    let (mut text, mut rest) = (String::new(), line);
    while let Some((before, after)) = rest.split_once("${") {
        let Some((name, behind)) = after.split_once('}') else {
            break;
        };
        text.push_str(before);
        text.push_str(&env(name).unwrap_or_default());
        rest = behind;
    }
    text + rest
}

fn of_machine(keyword: &str) -> Option<String> {
    let number = match keyword {
        "$pagesize" => host::rights::page_bytes(),
        "$ncpus" => host::process::allowed_cpus().len() as u64,
        _ => host::Host::live().meminfo_bytes("MemTotal")? >> 20,
    };
    Some(number.to_string())
}

/// fio hands what follows the `=` to bc, which knows whole numbers and the four operations.
fn calculate(text: String) -> Result<String, Bad> {
    let Some((name, value)) = text.split_once('=') else {
        return Ok(text);
    };
    if !value.contains(['+', '-', '*', '/']) {
        return Ok(text);
    }
    let is_sum = value
        .chars()
        .all(|c| c.is_ascii_digit() || "+-*/() ".contains(c));
    let result = is_sum
        .then(|| super::arithmetic::evaluate(&format!("({value})"), false))
        .flatten();
    match result {
        Some((number, _)) => Ok(format!("{name}={number}")),
        None => Err(Bad::value(
            format!("{value} cannot be calculated"),
            "Calculate with whole numbers and + - * / only, without units",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_keywords_are_replaced() {
        let mut env = |name: &str| match name {
            "DISK" => Some("/dev/sdb".to_string()),
            "$ncpus" => Some("8".to_string()),
            _ => None,
        };
        assert_eq!(
            expand("filename=${DISK}", &mut env).unwrap(),
            "filename=/dev/sdb"
        );
        assert_eq!(
            expand("filename=${NONE}x${", &mut env).unwrap(),
            "filename=x${"
        );
        assert_eq!(expand("numjobs=$ncpus", &mut env).unwrap(), "numjobs=8");
        assert_eq!(
            expand("numjobs=$ncpus*2+1", &mut env).unwrap(),
            "numjobs=17"
        );
        assert!(expand("size=$ncpus*1g", &mut env).is_err());
        assert!(expand("bs=$pagesize", &mut env).unwrap().len() > "bs=".len());
        let memory = expand("size=$mb_memory*1024", &mut env).unwrap();
        assert!(memory["size=".len()..].parse::<u64>().unwrap() > 1024);
    }
}
