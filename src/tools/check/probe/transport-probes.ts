import { STATUS_CODES } from 'node:http'
import type { DescribedOperation } from '../described-operation.ts'
import { type Violation, violation } from '../expectation/expectation.ts'
import type { PlannedBody } from '../plan/planned-body.ts'
import { exchangeRaw, type RawConnection } from '../raw-exchange.ts'
import type { SentRequest } from '../service-client.ts'

/** A raw request that an HTTP client cannot send. */
interface TransportProbe {
  readonly name: string
  /** Chunks to write with pauses in between. */
  readonly pieces: readonly string[]
  /** True if the client ends the connection before the announced end. */
  readonly isCutOff?: boolean
  /** A refusal, the status of the plain request, either, or that status or 421. */
  readonly expected: 'refusal' | 'as plain' | 'either' | 'as plain or 421'
  /** Another request that must get the same status. */
  readonly like?: readonly string[]
}

/** A probe with an unexpected response. */
export interface TransportFinding {
  readonly violation: Violation
  readonly request: SentRequest
  readonly subject: string
}

/**
 * Sends raw requests: ambiguous framing, bodies that end early or arrive slowly, two hosts, and
 * absolute targets (RFC 9112 §3.2, §6.3), to one operation that reads and one that creates.
 * @param create has valid bodies; the first accepted one is used for all probes
 */
export async function findTransportViolations(
  read: DescribedOperation | undefined,
  create:
    | { readonly operation: DescribedOperation; readonly bodies: readonly PlannedBody[] }
    | undefined,
  connection: RawConnection,
): Promise<readonly TransportFinding[]> {
  const findings = read ? await runProbes(read, readProbes(connection, read), connection) : []
  for (const { contentType, content } of create?.bodies ?? []) {
    if (contentType === undefined || typeof content !== 'string') continue
    const probes = writeProbes(
      connection,
      create!.operation,
      contentType,
      Buffer.from(content).toString('latin1'),
    )
    if ((await exchangeRaw(connection, probes[0]!)) === 201)
      return [...findings, ...(await runProbes(create!.operation, probes, connection))]
  }
  return findings
}

async function runProbes(
  operation: DescribedOperation,
  probes: readonly TransportProbe[],
  connection: RawConnection,
): Promise<readonly TransportFinding[]> {
  const { id, method, path } = operation
  const findings: TransportFinding[] = []
  const plainStatus = await exchangeRaw(connection, probes[0]!)
  for (const probe of probes) {
    const status = await exchangeRaw(connection, probe)
    const violation =
      violationOf(probe, plainStatus, status) ??
      (probe.like &&
        compareStatus(probe, await exchangeRaw(connection, { pieces: probe.like }), status))
    const request = { method, requestTarget: path, headers: {}, raw: probe.pieces.join('') }
    if (violation) findings.push({ violation, subject: id, request })
  }
  return findings
}

function violationOf(
  { name, expected }: TransportProbe,
  plainStatus: number | undefined,
  status: number | undefined,
): Violation | undefined {
  if (plainStatus === 429 || status === 429) return undefined
  const outcome =
    status === undefined ? 'no response' : `${status} ${STATUS_CODES[status] ?? ''}`.trim()
  if (status !== undefined && status >= 500 && status !== 501 && status !== 505)
    return violation('server-error', `${name} gets ${outcome}.`)
  // Creating the same item again may be a conflict.
  const isAsPlain = status === plainStatus || (plainStatus === 201 && status === 409)
  // A service may redirect another spelling of a URL.
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
      `${name} gets ${outcome}; expected ${plainStatus} as for the plain request.`,
    )
  // Closing the connection without a response is a refusal, too.
  if (expected === 'refusal' && status !== undefined && status < 400)
    return violation('framing-accepted', `${name} gets ${outcome}; expected a refusal.`)
  return undefined
}

function compareStatus(
  { name }: TransportProbe,
  expected: number | undefined,
  status: number | undefined,
): Violation | undefined {
  if (status === expected || status === 429 || expected === 429) return undefined
  return violation(
    'transport-differs',
    `${name} gets ${status}; expected ${expected} as for the same host in Host.`,
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
    // A service may ignore the host, or refuse others (RFC 9110 §7.4, §15.5.20).
    { name: 'A Host of another service', expected: 'as plain or 421', pieces: get(other) },
    {
      name: 'A target of another host in absolute form',
      expected: 'as plain or 421',
      pieces: get([own], `http://other.example${target}`),
      // The host of the target replaces Host (RFC 9112 §3.2.2).
      like: get(other),
    },
    {
      name: 'A head in several chunks',
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

/** Other spellings of a URL, which proxies, guards and services may read differently. */
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

/** @param content a valid body, one character per byte */
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
      name: 'A body that arrives slowly',
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
      name: 'A length that is not a number',
      expected: 'refusal',
      pieces: [post(['content-length: many']) + content],
    },
    {
      name: 'A chunk of a size that is not a number',
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
