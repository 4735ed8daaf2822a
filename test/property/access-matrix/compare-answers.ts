import type { Answer } from './exchange.ts'

/** A difference between what a caller gets, and what it would get if nothing were hidden. */
export class Leak extends Error {
  override readonly name = 'Leak'
}

/** What must correspond in two worlds whose tags are salted and whose cursors are encrypted. */
export interface Pair {
  readonly main: string
  readonly twin: string
}

/**
 * Compares answers byte by byte. Versions and tags are random, so each of one world has to stand
 * for one of the other, wherever they occur. Cursors are followed instead.
 */
export class Correspondence {
  readonly #twins = new Map<string, string>()
  readonly #mains = new Map<string, string>()

  /**
   * The addresses with cursors of both answers.
   * @throws Leak
   */
  compare(url: string, main: Answer, twin: Answer): readonly Pair[] {
    const ours = settledAnswer(main)
    const theirs = settledAnswer(twin)
    if (ours.text !== theirs.text) throw new Leak(difference(ours.text, theirs.text))
    // The weak tag of an item without a version is that of the document or of the stored text.
    const known = (tag: string) => (tag.startsWith('W/') ? `${url} ${tag}` : tag)
    for (const [index, tag] of ours.tags.entries())
      this.#match(known(tag), known(theirs.tags[index]!))
    return ours.addresses.map((address, index) => ({
      main: address,
      twin: theirs.addresses[index]!,
    }))
  }

  #match(main: string, twin: string): void {
    const knownTwin = this.#twins.get(main)
    const knownMain = this.#mains.get(twin)
    if ((knownTwin ?? twin) !== twin)
      throw new Leak(`The tag ${main} stays, but its twin changes: ${knownTwin}, ${twin}.`)
    if ((knownMain ?? main) !== main)
      throw new Leak(`The tag changes, but its twin stays: ${knownMain}, ${main}; ${twin}.`)
    this.#twins.set(main, twin)
    this.#mains.set(twin, main)
  }
}

interface Settled {
  readonly text: string
  readonly tags: readonly string[]
  readonly addresses: readonly string[]
}

const cursorParameter = /(?<=page%5B(?:after|before)%5D=)[^&"<>\s]+/g
const addressWithCursor = /[^"<>\s]*page%5B(?:after|before)%5D=[^"<>\s]*/g
/** In JSON, and in a cell of CSV. */
const version = /(?<="(?:hash|version)":")[\w-]{43}(?=")|(?<=[,\n])[\w-]{43}(?=,|\r\n|$)/g

function settledAnswer({ status, headers, text }: Answer): Settled {
  const tags: string[] = []
  const placeTag = (tag: string) => {
    tags.push(tag)
    return '<tag>'
  }
  const head = headers.map(([name, value]) =>
    name === 'etag' ? `${name}: ${placeTag(value)}` : `${name}: ${value}`,
  )
  const whole = `${status}\n${head.join('\n')}\n\n${text.replace(version, placeTag)}`
  const addresses = whole.match(addressWithCursor) ?? []
  return { text: whole.replace(cursorParameter, '<cursor>'), tags, addresses }
}

function difference(main: string, twin: string): string {
  let start = 0
  while (start < main.length && main[start] === twin[start]) start++
  const from = Math.max(0, start - 150)
  const part = (text: string) => text.slice(from, start + 250)
  return `The answers differ at ${start}:\n  main: …${part(main)}\n  twin: …${part(twin)}`
}
