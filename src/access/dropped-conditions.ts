import { RegistrationError } from '../model/registration-error.ts'
import { AccessCondition } from './access-condition.ts'
import { comparisonsIn, expressionsIn } from './parts-of-expression.ts'

type RulesFunction = (symbols: never) => unknown

/**
 * Refuses access rules whose function drops a condition by operators or statements of JavaScript: a
 * condition is an object, which they take for true.
 *
 * @param subject at the beginning of a sentence
 * @param declaration what the function returned
 * @param conditions all that it made
 * @throws RegistrationError
 */
export function refuseDroppedConditions(
  subject: string,
  callback: RulesFunction,
  declaration: unknown,
  conditions: readonly AccessCondition[],
): void {
  const code = codeOf(callback)
  refuseOperators(subject, code)
  if (chooses(code)) refuseUnused(subject, declaration, conditions)
}

/**
 * `&&` and `||` of JavaScript keep one of two conditions, and nothing that runs sees the other one.
 * Members that depend on a flag are no conditions: `...(isClosed && { delete: nobody })`.
 */
function refuseOperators(subject: string, code: string): void {
  const [operator] = /&&(?!\s*\(?\{)|\|\|/.exec(code) ?? []
  if (operator === undefined) return
  throw new RegistrationError(
    `${subject} are made by a function with '${operator}', which keeps only one of two conditions. Join conditions by and() or or(), and compute other values outside of the function.`,
  )
}

/**
 * Code that several models share may make conditions that one of them does not use, so only a
 * function that chooses is suspect.
 */
function chooses(code: string): boolean {
  return /(?<!\?)\?(?![?.])|\bif\b|\bswitch\b/.test(code)
}

/** The source text without comments and texts. */
function codeOf(callback: RulesFunction): string {
  const other = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`/g
  return String(callback).replace(other, '')
}

/** The rule of a condition that `if` or `?` tests allows everybody. */
function refuseUnused(
  subject: string,
  declaration: unknown,
  conditions: readonly AccessCondition[],
): void {
  const used = new Set(
    conditionsIn(declaration).flatMap(({ expression }) => expressionsIn(expression)),
  )
  // The last one is the outermost of those that contain each other.
  const dropped = conditions.findLast(({ expression }) => !used.has(expression))
  if (!dropped) return
  const [part] = comparisonsIn(dropped.expression)
  const about =
    part && 'path' in part.left ? ` about '${[part.left.kind, ...part.left.path].join('.')}'` : ''
  throw new RegistrationError(
    `${subject} make a condition${about} that is part of no rule. A condition is an object, so if and ? take it for true. Join conditions by and() and or(), or remove it.`,
  )
}

function conditionsIn(value: unknown): readonly AccessCondition[] {
  if (value instanceof AccessCondition) return [value]
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(conditionsIn)
    : []
}
