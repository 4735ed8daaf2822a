import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePorts, startDaemon } from '../harness/daemons.mjs'

/**
 * Starts three servers of etcd.
 *
 * @param {string} folder
 * @returns {Promise<number[]>} their ports
 */
export async function startEtcd(folder) {
  const ports = await freePorts(6)
  const members = [0, 1, 2].map((index) => ({
    name: `etcd-${index + 1}`,
    client: `http://127.0.0.1:${ports[index]}`,
    peer: `http://127.0.0.1:${ports[index + 3]}`,
  }))
  const cluster = members.map(({ name, peer }) => `${name}=${peer}`).join(',')
  for (const { name, client, peer } of members)
    startDaemon(
      'etcd',
      [
        ...[`--name=${name}`, `--data-dir=${join(folder, name)}`],
        ...[`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`],
        ...[`--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`],
        `--initial-cluster=${cluster}`,
      ],
      join(folder, `${name}.log`),
    )
  await Promise.all(members.map(({ client }) => isReady(client)))
  return ports.slice(0, 3)
}

/** Before it knows the version of its cluster, Patroni ends with an error. */
async function isReady(/** @type {string} */ url) {
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; await wait(50)) {
    const response = await fetch(`${url}/version`).catch(() => undefined)
    if (/"etcdcluster":"\d/.test((await response?.text()) ?? '')) return
  }
  throw new Error(`etcd at ${url} is not ready after 30 seconds.`)
}
