import type { JsonSchema } from '../schema/json-schema.ts'

/** The pattern of zod for dates. */
export const datePattern =
  '^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]|[02468][048]00|[13579][26]00)-02-29|\\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|(?:02)-(?:0[1-9]|1\\d|2[0-8])))$'

/** Removes a pattern that only repeats its format. Patterns that narrow the format stay. */
export function withoutFormatPattern(schema: JsonSchema): JsonSchema {
  if (schema.format !== 'date' || schema.pattern !== datePattern) return schema
  const { pattern: _, ...rest } = schema
  return rest
}
