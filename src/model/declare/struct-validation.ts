import {
  isSchema,
  maxIssues,
  type Schema,
  type ValidationResult,
  validate,
} from '../../schema/standard-schema.ts'
import { StoredResource } from '../stored-resource.ts'
import type { StructMembers } from './struct-members.ts'

export type MaybeAsyncValidation = ValidationResult | Promise<ValidationResult>

export function validResult(value: unknown): ValidationResult {
  return { kind: 'valid', value }
}

export function invalidResult(message: string): ValidationResult {
  return { kind: 'invalid', issues: [{ path: [], message }] }
}

/** A resource needs no validation: only the service can create a `StoredResource`. */
export function validateStruct(members: StructMembers, value: unknown): MaybeAsyncValidation {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return invalidResult('expected an object')
  const object = value as Readonly<Record<string, unknown>>
  const results = Object.entries(members).map(([name, member]): [string, MaybeAsyncValidation] => {
    const memberValue = Object.hasOwn(object, name) ? object[name] : undefined
    return [
      name,
      isSchema(member)
        ? validate(member, memberValue)
        : validResult(memberValue instanceof StoredResource ? memberValue : null),
    ]
  })
  return combineResults(results, (entries) =>
    Object.fromEntries(entries.filter(([, entry]) => entry !== undefined)),
  )
}

export function validateList(items: Schema, value: unknown): MaybeAsyncValidation {
  if (!Array.isArray(value)) return invalidResult('expected an array')
  const results: [number, MaybeAsyncValidation][] = []
  let issueCount = 0
  for (const [index, item] of value.entries()) {
    if (issueCount >= maxIssues) break
    const result = validate(items, item)
    if ('kind' in result && result.kind === 'invalid') issueCount += result.issues.length
    results.push([index, result])
  }
  return combineResults(results, (entries) => entries.map(([, item]) => item))
}

/** The combined value if all results are valid, else all issues with their paths. */
function combineResults<Step extends string | number>(
  results: readonly (readonly [Step, MaybeAsyncValidation])[],
  combine: (entries: readonly (readonly [Step, unknown])[]) => unknown,
): MaybeAsyncValidation {
  if (results.some(([, result]) => result instanceof Promise)) {
    const pending = results.map(
      async ([step, result]): Promise<[Step, ValidationResult]> => [step, await result],
    )
    return Promise.all(pending).then((settled) => combineResults(settled, combine))
  }
  const settled = results as readonly (readonly [Step, ValidationResult])[]
  const issues = settled.flatMap(([step, result]) =>
    result.kind === 'valid'
      ? []
      : result.issues.map((issue) => ({ ...issue, path: [step, ...issue.path] })),
  )
  if (issues.length > 0) return { kind: 'invalid', issues }
  return validResult(
    combine(
      settled.map(([step, result]) => [step, result.kind === 'valid' ? result.value : undefined]),
    ),
  )
}
