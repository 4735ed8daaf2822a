import { STATUS_CODES } from 'node:http'
import type { DescribedOperation } from '../described-operation.ts'
import { type Fault, fault } from '../expectation/expectation.ts'
import type { PlannedBody } from '../plan/body.ts'
import { type Connection, exchange } from '../raw-exchange.ts'
import type { Sending } from '../send.ts'

/** What goes wrong, or otherwise, on the way to a service. */
interface Disturbance {
  readonly name: string
  /** What is written, piece by piece. */
  readonly pieces: readonly string[]
  /** Does nothing follow, although more was announced? */
  readonly isCutOff?: boolean
  /**
   * What is right: that it is refused, that it is answered as the plain request is, either, or, of what is meant for another host, as the plain
   * one or with 421.
   */
  readonly right: 'refusal' | 'as plain' | 'either' | 'as plain or 421'
  /** What it must be answered alike, whatever that is. */
  readonly like?: readonly string[]
}

/** A disturbance that a service does not bear as it should. */
export interface Disturbed {
  readonly fault: Fault
  readonly sending: Sending
  readonly about: string
}

/**
 * Sends what HTTP clients cannot: framing that readers disagree about, bodies that end early or come slowly, two hosts, and addresses in
 * their absolute form (RFC 9112 §3.2, §6.3). Each is tried on one operation that reads, and on one that creates.
 * @param create with bodies that fit; the first that is taken is sent again and again
 */
export async function transportFaults(
  read: DescribedOperation | undefined,
  create: { readonly operation: DescribedOperation; readonly bodies: readonly PlannedBody[] } | undefined,
  connection: Connection,
): Promise<readonly Disturbed[]> {
  const found = read ? await disturbed(read, ofReads(connection, read), connection) : []
  for (const { type, content } of create?.bodies ?? []) {
    if (type === undefined || typeof content !== 'string') continue
    const all = ofWrites(connection, create!.operation, type, Buffer.from(content).toString('latin1'))
    if ((await exchange(connection, all[0]!)) === 201)
      return [...found, ...(await disturbed(create!.operation, all, connection))]
  }
  return found
}

async function disturbed(
  operation: DescribedOperation,
  disturbances: readonly Disturbance[],
  connection: Connection,
): Promise<readonly Disturbed[]> {
  const { id, method, path } = operation
  const found: Disturbed[] = []
  const wanted = await exchange(connection, disturbances[0]!)
  for (const one of disturbances) {
    const status = await exchange(connection, one)
    const wrong =
      faultOf(one, wanted, status) ??
      (one.like && unlike(one, await exchange(connection, { pieces: one.like }), status))
    const sending = { method, target: path, headers: {}, raw: one.pieces.join('') }
    if (wrong) found.push({ fault: wrong, about: id, sending })
  }
  return found
}

function faultOf(
  { name, right }: Disturbance,
  wanted: number | undefined,
  status: number | undefined,
): Fault | undefined {
  const told = status === undefined ? 'not at all' : `with ${status} ${STATUS_CODES[status] ?? ''}`.trim()
  if (status !== undefined && status >= 500 && status !== 501 && status !== 505)
    return fault('server-error', `${name} is answered ${told}.`)
  // What is created once more may be there already.
  const isAsPlain = status === wanted || (wanted === 201 && status === 409)
  // Who spells an address otherwise may be led to the right one.
  const isRefused = status === undefined || status >= 300
  const isRight = {
    refusal: true,
    'as plain': isAsPlain,
    either: isAsPlain || isRefused,
    'as plain or 421': isAsPlain || status === 421,
  }
  if (!isRight[right])
    return fault('transport-differs', `${name} is answered ${told}, and the same request without it with ${wanted}.`)
  // A connection that is closed without a word is a refusal, too.
  if (right === 'refusal' && status !== undefined && status < 400)
    return fault('framing-accepted', `${name} is answered ${told}.`)
  return undefined
}

function unlike({ name }: Disturbance, wanted: number | undefined, status: number | undefined): Fault | undefined {
  if (status === wanted) return undefined
  return fault('transport-differs', `${name} is answered with ${status}, and the same host in Host with ${wanted}.`)
}

function ofReads({ host, prefix, headers }: Connection, { path }: DescribedOperation): readonly Disturbance[] {
  const target = prefix + path
  const get = (lines: readonly string[], address = target) => [head(`GET ${address}`, [...headers, ...lines])]
  const own = `host: ${host}`
  const other = ['host: other.example']
  return [
    { name: 'A plain request', right: 'as plain', pieces: get([own]) },
    { name: 'A target in absolute form', right: 'as plain', pieces: get([own], `http://${host}${target}`) },
    // A service knows no other host, or is not the one to answer for it (RFC 9110 §7.4, §15.5.20).
    { name: 'A Host of another service', right: 'as plain or 421', pieces: get(other) },
    {
      name: 'A target of another host in absolute form',
      right: 'as plain or 421',
      pieces: get([own], `http://other.example${target}`),
      // The host of the target counts, and not the Host (RFC 9112 §3.2.2).
      like: get(other),
    },
    { name: 'A head that comes in pieces', right: 'as plain', pieces: inPieces(get([own])[0]!, 16) },
    ...spellings(target).map(
      (address): Disturbance => ({
        name: `The address spelled ${address}`,
        right: 'either',
        pieces: get([own], address),
      }),
    ),
    { name: 'No Host', right: 'refusal', pieces: get([]) },
    { name: 'Two Hosts', right: 'refusal', pieces: get([own, 'host: other.example']) },
    { name: 'A folded header', right: 'refusal', pieces: get([own, 'x-folded: a\r\n b']) },
    { name: 'A space before a colon', right: 'refusal', pieces: get([own, 'x-spaced : a']) },
    { name: 'A head of 64 KiB', right: 'refusal', pieces: get([own, `x-long: ${'a'.repeat(65_536)}`]) },
    {
      name: 'A head that ends early',
      right: 'refusal',
      pieces: [`GET ${target} HTTP/1.1\r\n${own}\r\n`],
      isCutOff: true,
    },
  ]
}

/** Other ways to write an address, which those who route, guard and answer may read otherwise than each other. */
function spellings(target: string): readonly string[] {
  const last = target.lastIndexOf('/') + 1
  const [before, name] = [target.slice(0, last), target.slice(last)]
  const code = name.charCodeAt(0).toString(16)
  return [
    `${before}%${code}${name.slice(1)}`,
    `${before}${name.toUpperCase()}`,
    `${before}/${name}`,
    `${before}./${name}`,
    `${before}other/../${name}`,
    `${before}other%2F..%2F${name}`,
    `${target}/`,
    `${target};a=b`,
    `${target}%00`,
    `${target}#part`,
  ]
}

/** @param content a body that fits, a character for each byte */
function ofWrites(
  { host, prefix, headers }: Connection,
  { path }: DescribedOperation,
  type: string,
  content: string,
): readonly Disturbance[] {
  const common = [`host: ${host}`, `content-type: ${type}`, ...headers]
  const post = (lines: readonly string[]) => head(`POST ${prefix}${path}`, [...common, ...lines])
  const whole = `content-length: ${content.length}`
  const chunk = `${content.length.toString(16)}\r\n${content}\r\n`
  const chunked = post(['transfer-encoding: chunked'])
  return [
    { name: 'A plain body', right: 'as plain', pieces: [post([whole]) + content] },
    {
      name: 'A body that comes slowly',
      right: 'as plain',
      pieces: [post([whole]), ...inPieces(content, Math.ceil(content.length / 12))],
    },
    { name: 'A body in chunks', right: 'as plain', pieces: [`${chunked}${chunk}0\r\n\r\n`] },
    { name: 'Chunks with trailers', right: 'as plain', pieces: [`${chunked}${chunk}0\r\nx-trailer: a\r\n\r\n`] },
    {
      name: 'A body that ends early',
      right: 'refusal',
      pieces: [post([`content-length: ${content.length + 9}`]) + content],
      isCutOff: true,
    },
    { name: 'Chunks that end early', right: 'refusal', pieces: [chunked + chunk], isCutOff: true },
    { name: 'A body longer than announced', right: 'refusal', pieces: [post(['content-length: 1']) + content] },
    { name: 'Two lengths', right: 'refusal', pieces: [post([whole, 'content-length: 1']) + content] },
    {
      name: 'A length and chunks',
      right: 'refusal',
      pieces: [`${post([whole, 'transfer-encoding: chunked'])}${chunk}0\r\n\r\n`],
    },
    { name: 'A length that is no number', right: 'refusal', pieces: [post(['content-length: many']) + content] },
    {
      name: 'A chunk of a size that is no number',
      right: 'refusal',
      pieces: [`${chunked}many\r\n${content}\r\n0\r\n\r\n`],
    },
  ]
}

function head(request: string, lines: readonly string[]): string {
  return `${[`${request} HTTP/1.1`, ...lines, 'connection: close'].join('\r\n')}\r\n\r\n`
}

function inPieces(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )
}
