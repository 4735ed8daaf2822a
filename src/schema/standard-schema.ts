import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonSchema } from './json-schema.ts'

/** Any validator that implements Standard Schema 1 (zod 4, valibot, arktype, …). */
export type Schema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>
export type InputOf<S extends Schema> = StandardSchemaV1.InferInput<S>
export type OutputOf<S extends Schema> = StandardSchemaV1.InferOutput<S>

/** One finding of a validator, with its path from the validated value. */
export interface SchemaIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
  /** Is it about a rule that the JSON Schema of the validator does not say? */
  readonly isUnwritten?: true
}

export type ValidationResult =
  | { readonly kind: 'valid'; readonly value: unknown }
  | { readonly kind: 'invalid'; readonly issues: readonly SchemaIssue[] }

export function isSchema(value: unknown): value is Schema {
  return (
    (typeof value === 'object' || typeof value === 'function') &&
    value !== null &&
    '~standard' in value
  )
}

/** Runs the validator. Returns a promise only if the validator itself is asynchronous. */
export function validate(
  schema: Schema,
  value: unknown,
): ValidationResult | Promise<ValidationResult> {
  const result = schema['~standard'].validate(value)
  return 'then' in result
    ? Promise.resolve(result).then(toValidationResult)
    : toValidationResult(result)
}

/** Further issues of a validator are dropped. */
export const maxIssues = 1_000

function toValidationResult(result: StandardSchemaV1.Result<unknown>): ValidationResult {
  if (!result.issues) return { kind: 'valid', value: result.value }
  return { kind: 'invalid', issues: result.issues.slice(0, maxIssues).map(toSchemaIssue) }
}

function toSchemaIssue(issue: StandardSchemaV1.Issue): SchemaIssue {
  const { path = [] } = issue
  return {
    message: describeAlternatives(issue) ?? issue.message,
    path: path.map((step) => (typeof step === 'object' ? step.key : step) as string | number),
    ...(isUnwritten(issue) && { isUnwritten: true }),
  }
}

/**
 * The `params` of a refinement of zod whose rule no JSON Schema says, so that clients and checks
 * can tell its errors from those of the schema.
 */
export const unwrittenParams: Readonly<Record<string, unknown>> = Object.freeze({
  isUnwritten: true,
})

function isUnwritten({ params }: StandardSchemaV1.Issue & { readonly params?: unknown }): boolean {
  return params === unwrittenParams
}

const maxReportedAlternatives = 5

/**
 * For a union, the message of zod is "Invalid input"; `errors` has the issues of each alternative.
 */
function describeAlternatives({
  errors: alternatives,
}: StandardSchemaV1.Issue & { readonly errors?: unknown }): string | undefined {
  if (!Array.isArray(alternatives) || alternatives.length === 0) return undefined
  const firstIssues = alternatives
    .slice(0, maxReportedAlternatives)
    .map((issues: readonly StandardSchemaV1.Issue[]) => issues[0])
  const messages = firstIssues.map(
    (issue) => issue && [...(issue.path ?? []).map(String), issue.message].join(': '),
  )
  return [...new Set(messages)].filter(Boolean).join('; or ') || undefined
}

/**
 * The JSON Schema that the validator exports (Standard JSON Schema). Without an export it is the
 * empty schema, which allows anything.
 */
export function jsonSchemaOf(schema: Schema, direction: 'input' | 'output' = 'input'): JsonSchema {
  const standard = schema['~standard'] as Partial<StandardJSONSchemaV1['~standard']>
  if (!standard.jsonSchema) return {}
  const { $schema: _, ...rest } = standard.jsonSchema[direction]({ target: 'draft-2020-12' })
  return rest
}
