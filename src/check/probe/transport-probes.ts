import { STATUS_CODES } from 'node:http'
import type { DescribedOperation } from '../described-operation.ts'
import { type Violation, violation } from '../expectation/expectation.ts'
import type { PlannedBody } from '../plan/planned-body.ts'
import { exchangeRaw, type RawConnection } from '../raw-exchange.ts'
import type { SentRequest } from '../service-client.ts'

/** What goes wrong, or otherwise, on the way to a service. */
interface TransportProbe {
  readonly name: string
  /** What is written, piece by piece. */
  readonly pieces: readonly string[]
  /** Does nothing follow, although more was announced? */
  readonly isCutOff?: boolean
  /**
   * What is right: that it is refused, that it is answered as the plain request is, either, or, of
   * what is meant for another host, as the plain one or with 421.
   */
  readonly expected: 'refusal' | 'as plain' | 'either' | 'as plain or 421'
  /** What it must be answered alike, whatever that is. */
  readonly like?: readonly string[]
}

/** A disturbance that a service does not bear as it should. */
export interface TransportFinding {
  readonly violation: Violation
  readonly request: SentRequest
  readonly subject: string
}

/**
 * Sends what HTTP clients cannot: framing that readers disagree about, bodies that end early or
 * come slowly, two hosts, and addresses in their absolute form (RFC 9112 §3.2, §6.3). Each is tried
 * on one operation that reads, and on one that creates.
 * @param create with bodies that fit; the first that is taken is sent again and again
 */
export async function findTransportViolations(
  read: DescribedOperation | undefined,
  create:
    | { readonly operation: DescribedOperation; readonly bodies: readonly PlannedBody[] }
    | undefined,
  connection: RawConnection,
): Promise<readonly TransportFinding[]> {
  const found = read ? await runProbes(read, readProbes(connection, read), connection) : []
  for (const { contentType, content } of create?.bodies ?? []) {
    if (contentType === undefined || typeof content !== 'string') continue
    const all = writeProbes(
      connection,
      create!.operation,
      contentType,
      Buffer.from(content).toString('latin1'),
    )
    if ((await exchangeRaw(connection, all[0]!)) === 201)
      return [...found, ...(await runProbes(create!.operation, all, connection))]
  }
  return found
}

async function runProbes(
  operation: DescribedOperation,
  disturbances: readonly TransportProbe[],
  connection: RawConnection,
): Promise<readonly TransportFinding[]> {
  const { id, method, path } = operation
  const found: TransportFinding[] = []
  const wanted = await exchangeRaw(connection, disturbances[0]!)
  for (const one of disturbances) {
    const status = await exchangeRaw(connection, one)
    const wrong =
      violationOf(one, wanted, status) ??
      (one.like && unlike(one, await exchangeRaw(connection, { pieces: one.like }), status))
    const sending = { method, requestTarget: path, headers: {}, raw: one.pieces.join('') }
    if (wrong) found.push({ violation: wrong, subject: id, request: sending })
  }
  return found
}

function violationOf(
  { name, expected }: TransportProbe,
  wanted: number | undefined,
  status: number | undefined,
): Violation | undefined {
  const told =
    status === undefined ? 'not at all' : `with ${status} ${STATUS_CODES[status] ?? ''}`.trim()
  if (status !== undefined && status >= 500 && status !== 501 && status !== 505)
    return violation('server-error', `${name} is answered ${told}.`)
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
  if (!isRight[expected])
    return violation(
      'transport-differs',
      `${name} is answered ${told}, and the same request without it with ${wanted}.`,
    )
  // A connection that is closed without a word is a refusal, too.
  if (expected === 'refusal' && status !== undefined && status < 400)
    return violation('framing-accepted', `${name} is answered ${told}.`)
  return undefined
}

function unlike(
  { name }: TransportProbe,
  wanted: number | undefined,
  status: number | undefined,
): Violation | undefined {
  if (status === wanted) return undefined
  return violation(
    'transport-differs',
    `${name} is answered with ${status}, and the same host in Host with ${wanted}.`,
  )
}

function readProbes(
  { host, prefix, headers }: RawConnection,
  { path }: DescribedOperation,
): readonly TransportProbe[] {
  const target = prefix + path
  const get = (lines: readonly string[], address = target) => [
    formatHead(`GET ${address}`, [...headers, ...lines]),
  ]
  const own = `host: ${host}`
  const other = ['host: other.example']
  return [
    { name: 'A plain request', expected: 'as plain', pieces: get([own]) },
    {
      name: 'A target in absolute form',
      expected: 'as plain',
      pieces: get([own], `http://${host}${target}`),
    },
    // A service knows no other host, or is not the one to answer for it (RFC 9110 §7.4, §15.5.20).
    { name: 'A Host of another service', expected: 'as plain or 421', pieces: get(other) },
    {
      name: 'A target of another host in absolute form',
      expected: 'as plain or 421',
      pieces: get([own], `http://other.example${target}`),
      // The host of the target counts, and not the Host (RFC 9112 §3.2.2).
      like: get(other),
    },
    {
      name: 'A head that comes in pieces',
      expected: 'as plain',
      pieces: splitText(get([own])[0]!, 16),
    },
    ...addressVariants(target).map(
      (address): TransportProbe => ({
        name: `The address spelled ${address}`,
        expected: 'either',
        pieces: get([own], address),
      }),
    ),
    { name: 'No Host', expected: 'refusal', pieces: get([]) },
    { name: 'Two Hosts', expected: 'refusal', pieces: get([own, 'host: other.example']) },
    { name: 'A folded header', expected: 'refusal', pieces: get([own, 'x-folded: a\r\n b']) },
    { name: 'A space before a colon', expected: 'refusal', pieces: get([own, 'x-spaced : a']) },
    {
      name: 'A head of 64 KiB',
      expected: 'refusal',
      pieces: get([own, `x-long: ${'a'.repeat(65_536)}`]),
    },
    {
      name: 'A head that ends early',
      expected: 'refusal',
      pieces: [`GET ${target} HTTP/1.1\r\n${own}\r\n`],
      isCutOff: true,
    },
  ]
}

/**
 * Other ways to write an address, which those who route, guard and answer may read otherwise than
 * each other.
 */
function addressVariants(target: string): readonly string[] {
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
function writeProbes(
  { host, prefix, headers }: RawConnection,
  { path }: DescribedOperation,
  type: string,
  content: string,
): readonly TransportProbe[] {
  const common = [`host: ${host}`, `content-type: ${type}`, ...headers]
  const post = (lines: readonly string[]) =>
    formatHead(`POST ${prefix}${path}`, [...common, ...lines])
  const whole = `content-length: ${content.length}`
  const chunk = `${content.length.toString(16)}\r\n${content}\r\n`
  const chunked = post(['transfer-encoding: chunked'])
  return [
    { name: 'A plain body', expected: 'as plain', pieces: [post([whole]) + content] },
    {
      name: 'A body that comes slowly',
      expected: 'as plain',
      pieces: [post([whole]), ...splitText(content, Math.ceil(content.length / 12))],
    },
    { name: 'A body in chunks', expected: 'as plain', pieces: [`${chunked}${chunk}0\r\n\r\n`] },
    {
      name: 'Chunks with trailers',
      expected: 'as plain',
      pieces: [`${chunked}${chunk}0\r\nx-trailer: a\r\n\r\n`],
    },
    {
      name: 'A body that ends early',
      expected: 'refusal',
      pieces: [post([`content-length: ${content.length + 9}`]) + content],
      isCutOff: true,
    },
    {
      name: 'Chunks that end early',
      expected: 'refusal',
      pieces: [chunked + chunk],
      isCutOff: true,
    },
    {
      name: 'A body longer than announced',
      expected: 'refusal',
      pieces: [post(['content-length: 1']) + content],
    },
    {
      name: 'Two lengths',
      expected: 'refusal',
      pieces: [post([whole, 'content-length: 1']) + content],
    },
    {
      name: 'A length and chunks',
      expected: 'refusal',
      pieces: [`${post([whole, 'transfer-encoding: chunked'])}${chunk}0\r\n\r\n`],
    },
    {
      name: 'A length that is no number',
      expected: 'refusal',
      pieces: [post(['content-length: many']) + content],
    },
    {
      name: 'A chunk of a size that is no number',
      expected: 'refusal',
      pieces: [`${chunked}many\r\n${content}\r\n0\r\n\r\n`],
    },
  ]
}

function formatHead(request: string, lines: readonly string[]): string {
  return `${[`${request} HTTP/1.1`, ...lines, 'connection: close'].join('\r\n')}\r\n\r\n`
}

function splitText(text: string, size: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )
}
