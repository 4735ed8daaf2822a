import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { programFolder } from '../../bench/harness/postgres.mjs'
import { processesBelow, send } from '../../test/support/postgres/stop-servers.mjs'
import { giveToUser, kill, startDaemon } from '../harness/daemons.mjs'
import { Link } from '../harness/link.mjs'
import { patroniConfiguration } from './patroni-configuration.mjs'

/**
 * Each is the way to one program of a machine from outside, except `etcd`: the ways of its Patroni
 * to the servers of etcd.
 *
 * @typedef {object} Links
 * @property {Link} clients to PostgreSQL, for the service and HAProxy
 * @property {Link} standbys to PostgreSQL, for the other machines
 * @property {Link} patroni
 * @property {readonly Link[]} etcd
 */

/** PostgreSQL and the Patroni that starts it. */
export class Machine {
  /** @readonly */
  name
  /** @readonly */
  port
  /** @readonly */
  links
  /** The API of Patroni, at an address that is never cut. @readonly */
  restUrl
  #folder
  #patroni

  /**
   * @param {string} folder
   * @param {string} name
   * @param {{ postgres: number, patroni: number, etcd: readonly number[] }} ports
   */
  static async start(folder, name, ports) {
    const open = (/** @type {number} */ port) => new Link(port).open()
    const links = {
      clients: await open(ports.postgres),
      standbys: await open(ports.postgres),
      patroni: await open(ports.patroni),
      etcd: await Promise.all(ports.etcd.map(open)),
    }
    return new Machine(folder, name, ports, links)
  }

  /**
   * @param {string} folder
   * @param {string} name
   * @param {{ postgres: number, patroni: number }} ports
   * @param {Links} links
   */
  constructor(folder, name, ports, links) {
    this.name = name
    this.port = ports.postgres
    this.links = links
    this.restUrl = `http://127.0.0.1:${ports.patroni}`
    this.#folder = join(folder, name)
    writeFileSync(
      this.configuration,
      patroniConfiguration({ name, ports, links, folder: this.#folder, programs: programFolder() }),
    )
    giveToUser(this.configuration)
    this.#patroni = this.#startPatroni()
  }

  get configuration() {
    return `${this.#folder}.yml`
  }

  /** An address of PostgreSQL that is never cut. */
  get url() {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`
  }

  killPostgres() {
    for (const pid of this.#postgresIds()) send(pid, 'SIGKILL')
  }

  /** As a machine stops when its virtualization does: nothing answers, nothing is closed. */
  freeze() {
    for (const pid of this.#allIds()) send(pid, 'SIGSTOP')
  }

  /**
   * As the watchdog that Patroni needs resets a machine that was stopped. Without one, Patroni 3.0.2
   * takes the lock back from the new leader where it is stopped in the middle of a turn, and what the
   * new leader has acknowledged is lost.
   */
  async reset() {
    for (const pid of this.#postgresIds()) send(pid, 'SIGKILL')
    await kill(this.#patroni)
    this.#patroni = this.#startPatroni()
  }

  #startPatroni() {
    return startDaemon('patroni', [this.configuration], `${this.#folder}.log`)
  }

  cutLinks() {
    for (const link of this.#allLinks()) link.cut()
  }

  mendLinks() {
    for (const link of this.#allLinks()) link.mend()
  }

  close() {
    for (const link of this.#allLinks()) link.close()
  }

  #allLinks() {
    const { clients, standbys, patroni, etcd } = this.links
    return [clients, standbys, patroni, ...etcd]
  }

  #allIds() {
    return [...(this.#patroni.pid ? [this.#patroni.pid] : []), ...this.#postgresIds()]
  }

  #postgresIds() {
    const pid = Number.parseInt(readFileSync(join(this.#folder, 'data/postmaster.pid'), 'utf8'), 10)
    return [pid, ...processesBelow(pid)]
  }
}
