export interface MediaType {
  /** In lower case, without parameters: `application/json`. */
  readonly type: string
  /** By lower-case name. */
  readonly parameters: ReadonlyMap<string, string>
}

const noParameters: ReadonlyMap<string, string> = new Map()
const essence = /[!#$%&'*+\-.^`|~\w]+\/[!#$%&'*+\-.^`|~\w]+/y
const parameter =
  /[\t ]*;[\t ]*(?:([!#$%&'*+\-.^`|~\w]+)=(?:([!#$%&'*+\-.^`|~\w]+)|"([\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]*(?:\\[\t\x20-\x7e\x80-\xff][\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]*)*)"))?/y

/**
 * Parses a `Content-Type` strictly (RFC 9110 §8.3.1), so that another parser cannot read it
 * differently: white space only around semicolons, and no repeated parameters. Undefined if it is
 * malformed.
 */
export function parseMediaType(text: string): MediaType | undefined {
  const mediaType = readMediaType(text, 0)
  return mediaType && mediaType.end === text.length
    ? { type: mediaType.type, parameters: mediaType.parameters }
    : undefined
}

/** Is a media type (in lower case, without parameters) in one of these ranges (`audio/*`)? */
export function matchesMediaRange(type: string, ranges: readonly string[]): boolean {
  return ranges.some(
    (range) =>
      range === '*/*' ||
      range === type ||
      (range.endsWith('/*') && type.startsWith(range.slice(0, -1))),
  )
}

/**
 * The media type or media range that starts at an index of a longer text, and the index after it.
 * Takes linear time.
 */
export function readMediaType(
  text: string,
  start: number,
): (MediaType & { readonly end: number }) | undefined {
  essence.lastIndex = start
  const [type] = essence.exec(text) ?? []
  if (type === undefined) return undefined
  let end = essence.lastIndex
  let parameters: Map<string, string> | undefined
  for (;;) {
    parameter.lastIndex = end
    const match = parameter.exec(text)
    if (!match) return { type: type.toLowerCase(), parameters: parameters ?? noParameters, end }
    end = parameter.lastIndex
    const [, name, token, quoted] = match
    if (name === undefined) continue
    parameters ??= new Map()
    if (parameters.has(name.toLowerCase())) return undefined
    parameters.set(name.toLowerCase(), token ?? removeEscapes(quoted ?? ''))
  }
}

function removeEscapes(quoted: string): string {
  return quoted.includes('\\') ? quoted.replace(/\\(.)/g, '$1') : quoted
}
