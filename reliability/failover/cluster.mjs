// Three machines with PostgreSQL and Patroni, three servers of etcd, and HAProxy, on loopback.

import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { freePorts, runAsUser } from '../harness/daemons.mjs'
import { startEtcd } from './etcd.mjs'
import { startHaproxy } from './haproxy.mjs'
import { Machine } from './machine.mjs'
import { timings } from './patroni-configuration.mjs'

export class Cluster {
  /** @readonly */
  machines
  #haproxyPort

  /** @param {string} folder */
  static async start(folder) {
    const etcd = await startEtcd(folder)
    const ports = await freePorts(6)
    /** @type {Machine[]} */
    const machines = []
    for (const index of [0, 1, 2]) {
      const [postgres = 0, patroni = 0] = ports.slice(2 * index)
      machines.push(await Machine.start(folder, `db-${index + 1}`, { postgres, patroni, etcd }))
    }
    const cluster = new Cluster(machines, await startHaproxy(folder, machines))
    await cluster.leader()
    return cluster
  }

  /**
   * @param {readonly Machine[]} machines
   * @param {number} haproxyPort
   */
  constructor(machines, haproxyPort) {
    this.machines = machines
    this.#haproxyPort = haproxyPort
  }

  /** The URL of the service. @param {'haproxy' | 'hosts'} way */
  url(way) {
    const ports =
      way === 'haproxy' ? [this.#haproxyPort] : this.machines.map(({ links }) => links.clients.port)
    return `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`
  }

  /** Waits until one machine leads and the two others follow it, one of them synchronously. */
  async leader() {
    const deadline = performance.now() + 180_000
    /** @type {Machine | undefined} */
    let former
    while (performance.now() < deadline) {
      const leader = await this.#currentLeader()
      if (leader && leader === former) return leader
      former = leader
      // What Patroni does after a failover takes it a few turns of its loop.
      await wait(former ? 2_000 * timings.loopWaitS : 200)
    }
    throw new Error('The cluster has no leader with two standbys after three minutes.')
  }

  async #currentLeader() {
    for (const machine of this.machines) if (await leads(machine)) return machine
    return undefined
  }

  async switchOver() {
    const [{ configuration } = { configuration: '' }] = this.machines
    await runAsUser('patronictl', ['-c', configuration, 'switchover', '--force'])
  }

  close() {
    for (const machine of this.machines) machine.close()
  }
}

const stateQuery = `select not pg_is_in_recovery()
  and count(*) filter (where state = 'streaming') = 2
  and count(*) filter (where sync_state = 'sync') = 1 as leads
  from pg_stat_replication`

/** @param {Machine} machine */
async function leads({ url, restUrl }) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 500 })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(stateQuery)
    return rows[0].leads === true && (await hasCandidate(restUrl))
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/** Does Patroni know a standby that may take over? It notes which one later than PostgreSQL. */
async function hasCandidate(/** @type {string} */ restUrl) {
  const response = await fetch(`${restUrl}/cluster`, { signal: AbortSignal.timeout(1_000) })
  const { members } = /** @type {{ members: { role: string }[] }} */ (await response.json())
  return ['leader', 'sync_standby', 'replica'].every((role) =>
    members.some((member) => member.role === role),
  )
}
