/**
 * Marks a text that stands for a value that JSON cannot hold. It is followed by the kind of the
 * value: `n` for a number, `x` for the bytes of a BLOB, `t` for a text that begins like this.
 */
const mark = '\u{FFFF}'
/** No text that is less begins in another way, unless it is less than the mark. */
const next = '\u{10000}'

/**
 * A value of any type as a number or as JSON text, so that `positionSql` makes the same value of
 * it. Infinity, larger integers than JavaScript has, and BLOBs become marked texts.
 */
export function losslessSql(value: string): string {
  const { MIN_SAFE_INTEGER: min, MAX_SAFE_INTEGER: max } = Number
  // The sign gives the value another name than the column has, which some drivers need.
  return (
    `case typeof(${value}) ` +
    `when 'integer' then iif(${value} between ${min} and ${max}, +${value}, json_quote('${mark}n' || ${value})) ` +
    `when 'real' then iif(abs(${value}) < 9e999, +${value}, json_quote(iif(${value} > 0, '${mark}n9e999', '${mark}n-9e999'))) ` +
    `else ${losslessTextSql(value)} end`
  )
}

/** The same for a value that is no number. */
export function losslessTextSql(value: string): string {
  return `json_quote(iif(${value} < '${mark}', ${value}, iif(typeof(${value}) = 'blob', '${mark}x' || hex(${value}), iif(${value} < '${next}', '${mark}t' || ${value}, ${value}))))`
}

/** The value that `losslessSql` wrote. */
export function positionSql(parameter: string): string {
  const rest = `substr(${parameter}, 3)`
  return (
    `(case when typeof(${parameter}) <> 'text' then ${parameter} ` +
    `when ${parameter} glob '${mark}n*' then cast(${rest} as numeric) ` +
    `when ${parameter} glob '${mark}x*' then unhex(${rest}) ` +
    `when ${parameter} glob '${mark}t*' then ${rest} else ${parameter} end)`
  )
}

/**
 * A value of any type as a number or as JSON text, as clients see it. JavaScript cannot read larger
 * integers.
 */
export function shownJsonSql(value: string): string {
  const { MIN_SAFE_INTEGER: min, MAX_SAFE_INTEGER: max } = Number
  const isNumber = `typeof(${value}) = 'real' or typeof(${value}) = 'integer' and ${value} between ${min} and ${max}`
  return `iif(${isNumber}, +${value}, json_quote(cast(${value} as text)))`
}
