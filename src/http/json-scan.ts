import { type ApiError, refusal, refuse } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { type PointerStep, pointer } from './json-pointer.ts'
import {
  afterLiteral,
  afterNumber,
  afterSpace,
  afterString,
  isDigit,
  minus,
  quote,
  type Tokens,
  unexpected,
} from './json-tokens.ts'
import { losesValue } from './number-text.ts'

export const maxJsonDepth = 64
const faultLimit = 20
const pointerLimit = 1024

const comma = 0x2c
const colon = 0x3a
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const fromOpenToClose = 2

/** Comparing with each other is faster than a set, for so many names. */
const fewNames = 16

/** Numbers of so few characters, without an exponent, never lose digits. */
const safeLength = 15

type Names = string[] | Set<string>

/** What is known while the text is walked once from left to right, without recursion. */
interface Walk extends Tokens {
  /** The way to the present place; undefined stands for a name that no pointer can spell, or that is not read yet. */
  readonly steps: (PointerStep | undefined)[]
  /** The names met in each open object; undefined for an open array. */
  readonly names: (Names | undefined)[]
  readonly faults: Problem[]
  /** How many values may still be met. */
  valuesLeft: number
  readonly maxValues: number
}

/**
 * What in a JSON text cannot be kept or would be read in two ways, each with a pointer.
 * @param maxValues members, elements and the whole: each costs whoever reads it far more than the few bytes that it takes
 * @throws ApiError for what ends the reading: bad syntax, too many levels or values, an empty text.
 */
export function faultsIn(text: string, maxValues: number): readonly Problem[] {
  const walk: Walk = {
    text,
    steps: [],
    names: [],
    faults: [],
    escaped: false,
    scaled: false,
    valuesLeft: maxValues,
    maxValues,
  }
  let at = afterSpace(text, 0)
  if (at === text.length) throw refuse('empty-body', 'The body is empty; a JSON value is expected.')
  do {
    at = afterClosings(walk, afterValue(walk, at))
  } while (walk.steps.length > 0)
  if (at < text.length) throw unexpected(text, at, 'the end of the text')
  return walk.faults.length < 2 ? walk.faults : unique(walk.faults)
}

function unique(faults: readonly Problem[]): Problem[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()]
}

/** Past a scalar or an empty container; a container with members is entered, up to its first scalar or empty container. */
function afterValue(walk: Walk, start: number): number {
  const { text, steps, names } = walk
  for (let at = start; ; ) {
    if (--walk.valuesLeft < 0) throw tooManyValues(walk)
    const code = text.charCodeAt(at)
    if (code !== openBrace && code !== openBracket) return afterScalar(walk, at, code)
    if (steps.length === maxJsonDepth) {
      const detail = `The body is nested deeper than ${maxJsonDepth} levels.`
      throw refuse('limit-exceeded', detail, undefined, { meta: { limit: maxJsonDepth } })
    }
    at = afterSpace(text, at + 1)
    if (text.charCodeAt(at) === code + fromOpenToClose) return at + 1
    names.push(code === openBrace ? [] : undefined)
    steps.push(code === openBrace ? undefined : 0)
    if (code === openBrace) at = afterName(walk, at)
  }
}

function tooManyValues({ maxValues, steps }: Walk): ApiError {
  const detail = `The body has more than ${maxValues} values, its members and elements at all levels together; send less at a time.`
  return refusal('limit-exceeded', detail, { pointer: nearestPlace(steps) }, { meta: { limit: maxValues } })
}

/** Leaves the containers that end here, then moves on to the next value, or to the end of the text after the outermost. */
function afterClosings(walk: Walk, start: number): number {
  const { text, steps, names } = walk
  for (let at = afterSpace(text, start); ; at = afterSpace(text, at + 1)) {
    const depth = steps.length
    if (depth === 0) return at
    const code = text.charCodeAt(at)
    const inObject = names[depth - 1] !== undefined
    if (code === comma) {
      const next = afterSpace(text, at + 1)
      if (inObject) return afterName(walk, next)
      steps[depth - 1] = Number(steps[depth - 1]) + 1
      return next
    }
    if (code !== (inObject ? closeBrace : closeBracket)) {
      throw unexpected(text, at, inObject ? 'a comma or }' : 'a comma or ]')
    }
    steps.pop()
    names.pop()
  }
}

/** Past the name of a member and its colon, noting the name as the present step. */
function afterName(walk: Walk, at: number): number {
  const { text, steps, names } = walk
  const top = steps.length - 1
  if (text.charCodeAt(at) !== quote) throw unexpected(text, at, 'a name in double quotes')
  const end = afterString(walk, at)
  const name: string = walk.escaped ? JSON.parse(text.slice(at, end)) : text.slice(at + 1, end - 1)
  steps[top] = undefined
  if (walk.escaped && isUnsound(name)) note(walk, 'A member name of this object has U+0000 or half a surrogate pair.')
  else steps[top] = name
  names[top] = withName(walk, names[top]!, name)
  const after = afterSpace(text, end)
  if (text.charCodeAt(after) !== colon) throw unexpected(text, after, 'a colon')
  return afterSpace(text, after + 1)
}

function withName(walk: Walk, known: Names, name: string): Names {
  const names = Array.isArray(known) && known.length === fewNames ? new Set(known) : known
  const isKnown = Array.isArray(names) ? names.includes(name) : names.has(name)
  if (isKnown) note(walk, 'The member is given more than once.')
  else if (Array.isArray(names)) names.push(name)
  else names.add(name)
  return names
}

function afterScalar(walk: Walk, at: number, code: number): number {
  const { text } = walk
  if (code === quote) {
    const end = afterString(walk, at)
    if (walk.escaped && isUnsound(JSON.parse(text.slice(at, end)))) {
      note(walk, 'The text has U+0000 or half a surrogate pair.')
    }
    return end
  }
  return code === minus || isDigit(code) ? afterSoundNumber(walk, at) : afterLiteral(text, at)
}

function afterSoundNumber(walk: Walk, start: number): number {
  const end = afterNumber(walk, start)
  const mayLose = walk.scaled || end - start > safeLength
  if (mayLose && losesValue(walk.text.slice(start, end)))
    note(walk, 'The number cannot be kept exactly; send it as text.')
  return end
}

/** No UTF-8 carries half a surrogate pair, and not every store carries U+0000. */
function isUnsound(text: string): boolean {
  return text.includes('\0') || /\p{Surrogate}/u.test(text)
}

function note(walk: Walk, detail: string): void {
  if (walk.faults.length === faultLimit) return
  walk.faults.push(problem('malformed-json', detail, { pointer: nearestPlace(walk.steps) }))
}

/** Long names are cut off with all that is below them, so that an answer cannot be many times as large as its request. */
function nearestPlace(steps: Walk['steps']): string {
  let place = ''
  for (const step of steps) {
    const inner = step === undefined ? undefined : place + pointer([step])
    if (inner === undefined || inner.length > pointerLimit) break
    place = inner
  }
  return place
}
