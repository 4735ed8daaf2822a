// S3 responses are simple, machine-made XML, of which a few named elements are read.

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
}

/** The text of each element of this name, or the markup inside it. */
export function elements(xml: string, name: string): readonly string[] {
  return Array.from(
    xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^]*?)</${name}>`, 'g')),
    ([, inner]) => inner!,
  )
}

/** The text of the first element of this name. */
export function element(xml: string, name: string): string | undefined {
  const [content] = elements(xml, name)
  return content?.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, named) => {
    if (named !== undefined) return entities[named] ?? whole
    return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
  })
}

export function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`)
}
