import fc from 'fast-check'

/** Makes texts of about this length. */
export type NearMatch = (length: number) => string

/** Repeats with each of them show most expressions that run away. */
const maxSamples = 5
const maxPositions = 6
/** The end does not match in most expressions, so that all ways have to be tried. */
const wrongEnd = '\u0001!'

/**
 * Texts that match an expression but for their end: matching texts, of which one character, two or
 * all are repeated. None if fast-check cannot make a matching text.
 */
export function nearMatches(pattern: string, seed: number): readonly NearMatch[] {
  return samplesOf(pattern, seed).flatMap((sample) => {
    const whole: NearMatch = (length) => fill(sample, length) + wrongEnd
    const positions = distinctPositions(sample).flatMap((position) =>
      [1, 2].map(
        (size): NearMatch =>
          (length) =>
            sample.slice(0, position) +
            fill(sample.slice(position, position + size), length) +
            wrongEnd,
      ),
    )
    return [whole, ...positions]
  })
}

function samplesOf(pattern: string, seed: number): readonly string[] {
  try {
    const texts = fc.sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 20, seed })
    return [...new Set(texts)]
      .filter((text) => text !== '' && text.length <= 40)
      .slice(0, maxSamples)
  } catch {
    // fast-check makes no texts for look-around.
    return []
  }
}

/** The first position of each character: only one of them may match in two ways. */
function distinctPositions(sample: string): readonly number[] {
  const positions = new Map<string, number>()
  for (const [position, character] of [...sample].entries())
    if (sample[position] === character && !positions.has(character))
      positions.set(character, position)
  return [...positions.values()].slice(0, maxPositions)
}

function fill(unit: string, length: number): string {
  return unit.repeat(Math.ceil(length / unit.length))
}
