import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { createCluster, newServerFolder } from './cluster.ts'
import { PostgresServer } from './postgres-server.ts'
import { runProgram } from './run-program.ts'

export interface SecureServer {
  readonly server: PostgresServer
  /** The address on the network, for a role and its password. */
  url(role: string, password: string): string
  /** The same without encryption, which the server refuses. */
  plainUrl(role: string, password: string): string
}

/** A server on 127.0.0.1 that requires TLS and passwords (SCRAM). Needs `openssl`. */
export async function startSecureServer(): Promise<SecureServer> {
  const folder = await newServerFolder()
  await createCluster(folder)
  const inData = (name: string) => join(folder, 'data', name)
  await runProgram('openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost'],
    ...['-keyout', inData('server.key'), '-out', inData('server.crt')],
  ])
  await runProgram('chmod', ['600', inData('server.key')])
  await appendFile(inData('postgresql.conf'), "listen_addresses = '127.0.0.1'\nssl = on\n")
  await writeFile(
    inData('pg_hba.conf'),
    'local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n',
  )
  // Other processes may read the certificate.
  await runProgram('cp', [inData('server.crt'), join(folder, 'server.crt')])
  const server = new PostgresServer(folder, await freePort())
  await server.start()
  const urlWith = (role: string, password: string, parameters: string): string => {
    const user = `${role}:${encodeURIComponent(password)}`
    return `postgres://${user}@localhost:${server.port}/postgres?${parameters}`
  }
  return {
    server,
    url: (role, password) =>
      urlWith(role, password, `sslmode=verify-full&sslrootcert=${join(folder, 'server.crt')}`),
    plainUrl: (role, password) => urlWith(role, password, 'sslmode=disable'),
  }
}
