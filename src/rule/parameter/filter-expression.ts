import { losesPrecision } from '../../http/json/number-precision.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { decimalPattern } from './typed-value.ts'

/** A parsed filter expression, such as `or(eq(title,'Dune'),gt(price,10))`. Names are unchecked. */
export type FilterExpression =
  | {
      readonly kind: 'connective'
      readonly name: 'and' | 'or' | 'not'
      readonly operands: readonly FilterExpression[]
    }
  | {
      readonly kind: 'comparison'
      readonly operator: string
      readonly field: string
      readonly literals: readonly Scalar[]
    }

export type ParsedFilter =
  | { readonly kind: 'parsed'; readonly expression: FilterExpression }
  | { readonly kind: 'failed'; readonly offset: number; readonly expected: string }
  | { readonly kind: 'tooDeep' }

const namePattern = /[A-Za-z][A-Za-z0-9_.-]*/y
const numberPattern = new RegExp(decimalPattern, 'y')
const textPattern = /'((?:[^']|'')*)'/y
const blankPattern = /[ \t]*/y

/**
 * Parses a filter expression. Strings are in single quotes, and a quote inside is doubled; blanks
 * between tokens are ignored. It stops at `maxDepth` levels, so that the stack cannot overflow.
 */
export function parseFilterExpression(source: string, maxDepth: number): ParsedFilter {
  const cursor = { source, offset: 0 }
  try {
    const expression = readExpression(cursor, maxDepth)
    skipBlank(cursor)
    if (cursor.offset < source.length)
      throw new ExpressionSyntaxError(cursor.offset, 'the end of the expression')
    return { kind: 'parsed', expression }
  } catch (error) {
    if (error instanceof ExpressionTooDeepError) return { kind: 'tooDeep' }
    if (error instanceof ExpressionSyntaxError)
      return { kind: 'failed', offset: error.offset, expected: error.expected }
    throw error
  }
}

interface Cursor {
  readonly source: string
  offset: number
}

class ExpressionSyntaxError extends Error {
  readonly offset: number
  readonly expected: string

  constructor(offset: number, expected: string) {
    super(expected)
    this.offset = offset
    this.expected = expected
  }
}

class ExpressionTooDeepError extends Error {}

function readExpression(cursor: Cursor, depth: number): FilterExpression {
  if (depth === 0) throw new ExpressionTooDeepError()
  const word =
    take(cursor, namePattern) ??
    failExpecting(cursor, "'and', 'or', 'not' or an operator such as 'eq'")
  expectSymbol(cursor, '(')
  const expression =
    word === 'and' || word === 'or' || word === 'not'
      ? readConnective(cursor, word, depth)
      : readComparison(cursor, word)
  expectSymbol(cursor, ')')
  return expression
}

function readConnective(
  cursor: Cursor,
  name: 'and' | 'or' | 'not',
  depth: number,
): FilterExpression {
  const operands = [readExpression(cursor, depth - 1)]
  while (name !== 'not' && tryTake(cursor, ',')) operands.push(readExpression(cursor, depth - 1))
  return { kind: 'connective', name, operands }
}

function readComparison(cursor: Cursor, operator: string): FilterExpression {
  const field = take(cursor, namePattern) ?? failExpecting(cursor, 'a field name')
  const literals: Scalar[] = []
  while (tryTake(cursor, ',')) literals.push(readLiteral(cursor))
  return { kind: 'comparison', operator, field, literals }
}

function readLiteral(cursor: Cursor): Scalar {
  const quoted = take(cursor, textPattern)
  if (quoted !== undefined) return quoted.slice(1, -1).replaceAll("''", "'")
  const digits = take(cursor, numberPattern)
  if (digits !== undefined)
    return losesPrecision(digits) ? failExpecting(cursor, 'a number, such as 9.5') : Number(digits)
  const start = cursor.offset
  const word = take(cursor, namePattern)
  if (word === 'true' || word === 'false') return word === 'true'
  if (word === 'null') return null
  throw new ExpressionSyntaxError(
    start,
    'a value: a string in single quotes, a number, true, false or null',
  )
}

function take(cursor: Cursor, pattern: RegExp): string | undefined {
  skipBlank(cursor)
  pattern.lastIndex = cursor.offset
  const match = pattern.exec(cursor.source)
  if (!match) return undefined
  cursor.offset = pattern.lastIndex
  return match[0]
}

function tryTake(cursor: Cursor, character: string): boolean {
  skipBlank(cursor)
  if (cursor.source[cursor.offset] !== character) return false
  cursor.offset++
  return true
}

function expectSymbol(cursor: Cursor, character: string): void {
  if (!tryTake(cursor, character)) failExpecting(cursor, `'${character}'`)
}

function skipBlank(cursor: Cursor): void {
  blankPattern.lastIndex = cursor.offset
  blankPattern.exec(cursor.source)
  cursor.offset = blankPattern.lastIndex
}

function failExpecting(cursor: Cursor, expected: string): never {
  throw new ExpressionSyntaxError(cursor.offset, expected)
}
