import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { JsonSchema } from './json-schema.ts'

/** Any validator that speaks Standard Schema 1 (zod 4, valibot, arktype, …). */
export type Schema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>
export type InputOf<S extends Schema> = StandardSchemaV1.InferInput<S>
export type OutputOf<S extends Schema> = StandardSchemaV1.InferOutput<S>

/** One fault a validator found, with the way to it from the validated value. */
export interface SchemaIssue {
  readonly path: readonly (string | number)[]
  readonly message: string
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

/** Runs the validator. A promise comes back only where the validator itself is asynchronous. */
export function validate(
  schema: Schema,
  value: unknown,
): ValidationResult | Promise<ValidationResult> {
  const result = schema['~standard'].validate(value)
  return 'then' in result
    ? Promise.resolve(result).then(toValidationResult)
    : toValidationResult(result)
}

/** Nobody is told of more. */
export const maxIssues = 1_000

function toValidationResult(result: StandardSchemaV1.Result<unknown>): ValidationResult {
  if (!result.issues) return { kind: 'valid', value: result.value }
  return { kind: 'invalid', issues: result.issues.slice(0, maxIssues).map(toSchemaIssue) }
}

function toSchemaIssue(found: StandardSchemaV1.Issue): SchemaIssue {
  const { path = [] } = found
  return {
    message: describeAlternatives(found) ?? found.message,
    path: path.map((step) => (typeof step === 'object' ? step.key : step) as string | number),
  }
}

/** Beyond these, what else would fit is for the document to tell. */
const maxReportedAlternatives = 5

/**
 * Of a union zod says only that the input is invalid, and beside the message what each of its forms
 * lacks.
 */
function describeAlternatives({
  errors: forms,
}: StandardSchemaV1.Issue & { readonly errors?: unknown }): string | undefined {
  if (!Array.isArray(forms) || forms.length === 0) return undefined
  const firsts = forms
    .slice(0, maxReportedAlternatives)
    .map((issues: readonly StandardSchemaV1.Issue[]) => issues[0])
  const told = firsts.map(
    (first) => first && [...(first.path ?? []).map(String), first.message].join(': '),
  )
  return [...new Set(told)].filter(Boolean).join('; or ') || undefined
}

/**
 * The JSON Schema of what the validator reads, by its own export (Standard JSON Schema); the empty
 * schema, which allows anything, where it has none.
 */
export function jsonSchemaOf(schema: Schema, direction: 'input' | 'output' = 'input'): JsonSchema {
  const standard = schema['~standard'] as Partial<StandardJSONSchemaV1['~standard']>
  if (!standard.jsonSchema) return {}
  const { $schema: _, ...rest } = standard.jsonSchema[direction]({ target: 'draft-2020-12' })
  return rest
}
