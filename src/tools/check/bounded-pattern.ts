import { createContext, Script } from 'node:vm'
import { isLinearPattern } from '../pull/linear-pattern.ts'

/** A pattern of the document, or of JSON Schema's own, that can hold the process for hours. */
export class SlowPatternError extends Error {
  constructor(pattern: string, place: string | undefined, length: number) {
    const at = place === undefined ? '' : ` at '#${place}'`
    super(
      `The pattern '${pattern}'${at} takes more than ${maxMatchMs} ms for a text of ${length} characters; expected a pattern whose time grows with the length of the text only.`,
    )
  }
}

/** What Ajv needs of a regular expression. */
export interface BoundedPattern {
  /** @throws SlowPatternError once for each pattern; later, such a text counts as a match */
  test(text: string): boolean
  /** Ajv knows a pattern by it. */
  toString(): string
}

const maxMatchMs = 1_000
/** A match of a shorter text cannot take long. */
const maxFreeLength = 20
const rememberedTexts = 5_000

/**
 * Compiles a pattern. Where its time may grow faster than a text, a match ends after a second. Such
 * a match costs more, so results are remembered.
 * @param placeOf finds the pointer of a pattern for messages
 * @throws SyntaxError if it is none
 */
export function boundedPattern(
  source: string,
  flags: string,
  placeOf: (source: string) => string | undefined = () => undefined,
): BoundedPattern {
  const expression = new RegExp(source, flags)
  if (isLinearPattern(source)) return expression
  const script = new Script('new RegExp(source, flags).test(text)')
  const context = createContext({ source, flags, text: '' })
  const results = new Map<string, boolean>()
  let isSlow = false
  return {
    toString: () => String(expression),
    test(text) {
      if (text.length <= maxFreeLength) return expression.test(text)
      if (isSlow) return true
      const known = results.get(text)
      if (known !== undefined) return known
      context.text = text
      try {
        const result = script.runInContext(context, { timeout: maxMatchMs }) as boolean
        if (results.size >= rememberedTexts) results.clear()
        results.set(text, result)
        return result
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        isSlow = true
        throw new SlowPatternError(source, placeOf(source), text.length)
      }
    },
  }
}
