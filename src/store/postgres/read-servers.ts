import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import type { RegistrationFaults } from '../../model/describe/registration-faults.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { serverUrls } from './server-urls.ts'

/** A server that is written to, and servers that replicate it by streaming. */
export interface PostgresServers {
  /** The URL of the server that is written to, or of several hosts of which one is it. */
  readonly primary: string
  /**
   * The URLs of the servers that requests read from; `'standbys'` for the other hosts of `primary`.
   */
  readonly replicas: readonly string[] | 'standbys'
}

/** The URLs of the servers of a store, each with one host. */
export interface ServerUrls {
  /** One of them is the primary. */
  readonly primary: readonly string[]
  /** For each replica, the servers that it may be; `standbys` are the other ones of the primary. */
  readonly replicas: readonly (readonly string[])[] | 'standbys'
}

const serverChecks: OptionChecks<PostgresServers> = { primary: true, replicas: true }

/** @returns undefined where something is wrong, which `faults` then has */
export function readServers(
  servers: string | PostgresServers,
  hosts: readonly string[] | undefined,
  faults: RegistrationFaults,
): ServerUrls | undefined {
  if (typeof servers !== 'object' || servers === null) {
    const primary = faults.attempt(() => serverUrls('postgres()', servers, hosts))
    return primary && { primary, replicas: [] }
  }
  faults.attempt(() => checkOptions('the servers of postgres()', servers, serverChecks))
  const primary = faults.attempt(() =>
    serverUrls('the primary of postgres()', servers.primary, hosts),
  )
  const replicas = faults.attempt(() => checkedReplicas(servers.replicas))
  const replicaUrls =
    replicas === 'standbys'
      ? faults.attempt(() => standbysOf(primary))
      : replicas?.map((url, index) =>
          faults.attempt(() => serverUrls(`the replica ${index} of postgres()`, url)),
        )
  return faults.count > 0 ? undefined : ({ primary, replicas: replicaUrls } as ServerUrls)
}

/** The message does not repeat what may be a URL with a password. */
function checkedReplicas(replicas: unknown): PostgresServers['replicas'] {
  if (Array.isArray(replicas) || replicas === 'standbys') return replicas
  const got = replicas === undefined ? 'none' : `a ${typeof replicas}`
  throw new RegistrationError(
    `The option 'replicas' of postgres() must be an array of URLs or 'standbys'; got ${got}.`,
  )
}

function standbysOf(primaryUrls: readonly string[] | undefined): 'standbys' {
  if (primaryUrls?.length === 1)
    throw new RegistrationError(
      "The replicas of postgres() are 'standbys', but 'primary' names one host; expected several, such as 'postgres://db-1,db-2/bookstore'.",
    )
  return 'standbys'
}
