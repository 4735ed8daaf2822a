import { RegistrationFaults } from '../../model/describe/registration-faults.ts'
import { RegistrationError } from '../../model/registration-error.ts'

/** A URL of PostgreSQL in parts. */
interface UrlParts {
  readonly scheme: string
  /** With the `@`. */
  readonly user: string
  readonly host: string
  readonly path: string
  readonly parameters: URLSearchParams
}

/**
 * The URLs of the servers that a URL names, one for each of its hosts, in their order.
 *
 * Hosts are separated by commas, in the form of libpq: `postgres://a:5432,b:5433/db`, or as the
 * parameters `host` and `port`. No message repeats the URL, which may contain a password.
 *
 * @param owner whose URL it is, such as `postgres()`
 * @param hosts take the place of the host of the URL
 * @throws RegistrationError with a line for each fault
 */
export function serverUrls(
  owner: string,
  url: string,
  hosts?: readonly string[],
): readonly string[] {
  const subject = `The URL of ${owner}`
  const parts = partsOf(subject, url)
  if (hosts !== undefined) return urlsOf(parts, `The option 'hosts' of ${owner}`, hosts)
  const named = parts.parameters.get('host') ?? parts.host
  const ports = parts.parameters.get('port')?.split(',') ?? []
  if (!named.includes(',') && ports.length < 2) return [url]
  return urlsOf(parts, subject, withPorts(subject, named.split(','), ports))
}

/** @throws RegistrationError for what is no URL of PostgreSQL */
function partsOf(subject: string, url: string): UrlParts {
  const match =
    typeof url === 'string'
      ? /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(url)
      : undefined
  if (!match)
    throw new RegistrationError(`${subject} must begin with 'postgres://' or 'postgresql://'.`)
  const [, scheme = '', user = '', host = '', path = '', query] = match
  return { scheme, user, host, path, parameters: new URLSearchParams(query) }
}

function withPorts(
  subject: string,
  hosts: readonly string[],
  ports: readonly string[],
): readonly string[] {
  if (ports.length === 0) return hosts
  if (ports.length !== 1 && ports.length !== hosts.length)
    throw new RegistrationError(
      `${subject} has ${ports.length} ports, and the number of its hosts is ${hosts.length}; expected one port for all of them, or one for each.`,
    )
  return hosts.map((host, index) => `${host}:${ports[index] ?? ports[0]}`)
}

function urlsOf(parts: UrlParts, subject: string, hosts: readonly string[]): readonly string[] {
  if (!Array.isArray(hosts) || hosts.length === 0)
    throw new RegistrationError(`${subject} must be an array with at least one host.`)
  const faults = new RegistrationFaults()
  const urls = hosts.map((host) => faults.attempt(() => urlOf(parts, subject, host)))
  for (const host of new Set(hosts.filter((host, index) => hosts.indexOf(host) !== index)))
    faults.attempt(() => {
      throw new RegistrationError(`${subject} names '${host}' more than once.`)
    })
  faults.throwAll()
  return urls as readonly string[]
}

/** A name or an address with or without a port, or the folder of a Unix socket. */
const hostForm = /^(?<name>[^\s:/?#@,[\]]+|\[[\da-f:.]+\]|\/[^:,]+)(?::(?<port>\d{1,5}))?$/i

function urlOf(parts: UrlParts, subject: string, host: unknown): string {
  const { name, port } = (typeof host === 'string' ? hostForm.exec(host)?.groups : undefined) ?? {}
  if (name === undefined || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535)
    throw new RegistrationError(
      `${subject} names the host '${host}'; expected a name or an address with or without a port, such as 'db-1' or '[::1]:5432', or the folder of a Unix socket.`,
    )
  const parameters = new URLSearchParams(parts.parameters)
  const ownPort = port ?? singlePort(parts)
  parameters.delete('host')
  parameters.delete('port')
  const address = name.startsWith('/') ? encodeURIComponent(name) : name
  const query = parameters.size > 0 ? `?${parameters}` : ''
  return `${parts.scheme}${parts.user}${address}${ownPort ? `:${ownPort}` : ''}${parts.path}${query}`
}

/** The port of a URL with one host, which is that of all hosts without one. */
function singlePort({ host, parameters }: UrlParts): string | undefined {
  const port =
    parameters.get('port') ?? (host.includes(',') ? undefined : /:(\d+)$/.exec(host)?.[1])
  return port?.includes(',') ? undefined : port
}
