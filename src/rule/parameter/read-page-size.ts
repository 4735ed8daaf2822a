import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import type { RouterLimits } from '../router-limits.ts'

/** Undefined if the size is absent or invalid. */
export function readPageSize(
  parameter: string,
  text: string | undefined,
  { maxPageSize: max }: RouterLimits,
  problems: Problem[],
): number | undefined {
  if (!isGreaterThan(text, max))
    return readInteger(parameter, text, { min: 1, max, beyond: '' }, problems)
  problems.push(
    problem(
      'page-too-large',
      `'${parameter}' must be at most ${max}; got ${truncate(text!)}.`,
      { parameter },
      { limit: max },
    ),
  )
  return undefined
}

interface IntegerRange {
  readonly min: number
  readonly max: number
  /** How clients get further than the maximum, after a full stop; empty if they cannot. */
  readonly beyond: string
}

/** Undefined if the number is absent or invalid. */
export function readInteger(
  parameter: string,
  text: string | undefined,
  { min, max, beyond }: IntegerRange,
  problems: Problem[],
): number | undefined {
  if (text === undefined) return undefined
  const value = digits.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  if (value > max) {
    const detail = `'${parameter}' must be at most ${max}; got ${truncate(text)}.${beyond}`
    problems.push(problem('limit-exceeded', detail, { parameter }, { limit: max }))
  } else {
    const detail = `'${parameter}' must be an integer from ${min} to ${max}; got '${truncate(text)}'.`
    problems.push(problem('invalid-page', detail, { parameter }))
  }
  return undefined
}

function isGreaterThan(text: string | undefined, max: number): boolean {
  return text !== undefined && digits.test(text) && Number(text) > max
}

const digits = /^\d+$/
