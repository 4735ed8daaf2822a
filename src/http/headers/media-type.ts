/**
 * A media type: `type` is the lower-cased essence (`application/json`), parameter names are
 * lower-cased, values as sent.
 */
export interface MediaType {
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

const noParameters: ReadonlyMap<string, string> = new Map()
const essence = /[!#$%&'*+\-.^`|~\w]+\/[!#$%&'*+\-.^`|~\w]+/y
const parameter =
  /[\t ]*;[\t ]*(?:([!#$%&'*+\-.^`|~\w]+)=(?:([!#$%&'*+\-.^`|~\w]+)|"([\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]*(?:\\[\t\x20-\x7e\x80-\xff][\t\x20\x21\x23-\x5b\x5d-\x7e\x80-\xff]*)*)"))?/y

/**
 * Reads a `Content-Type` (RFC 9110 §8.3.1) strictly, so that no two readers of one header can
 * disagree: white space is allowed around semicolons only, and nothing may follow but parameters,
 * each name once. Undefined when it is anything else.
 */
export function parseMediaType(text: string): MediaType | undefined {
  const found = readMediaType(text, 0)
  return found && found.end === text.length
    ? { type: found.type, parameters: found.parameters }
    : undefined
}

/**
 * The media type, or media range, that starts at an index of a longer text, and the index after it.
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
    const found = parameter.exec(text)
    if (!found) return { type: type.toLowerCase(), parameters: parameters ?? noParameters, end }
    end = parameter.lastIndex
    const [, name, token, quoted] = found
    if (name === undefined) continue
    parameters ??= new Map()
    if (parameters.has(name.toLowerCase())) return undefined
    parameters.set(name.toLowerCase(), token ?? removeEscapes(quoted ?? ''))
  }
}

function removeEscapes(quoted: string): string {
  return quoted.includes('\\') ? quoted.replace(/\\(.)/g, '$1') : quoted
}
