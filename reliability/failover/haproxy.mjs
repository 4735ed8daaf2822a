import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePorts, startDaemon } from '../harness/daemons.mjs'

/**
 * Starts an HAProxy that leads to the leader, as Patroni says which one that is.
 *
 * @param {string} folder
 * @param {readonly import('./machine.mjs').Machine[]} machines
 * @returns {Promise<number>} its port
 */
export async function startHaproxy(folder, machines) {
  const [port = 0] = await freePorts(1)
  const file = join(folder, 'haproxy.cfg')
  const servers = machines.map(
    ({ name, links }) =>
      `  server ${name} 127.0.0.1:${links.clients.port} check port ${links.patroni.port}`,
  )
  writeFileSync(
    file,
    `global
  maxconn 500
defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen leader
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 250ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`,
  )
  startDaemon('/usr/sbin/haproxy', ['-db', '-f', file], join(folder, 'haproxy.log'))
  return port
}
