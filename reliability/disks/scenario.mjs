// What every fault has in common: a service, its client, and what must hold.

import { setTimeout as wait } from 'node:timers/promises'
import { Client } from './client.mjs'
import { RunningService } from './running-service.mjs'

/** A service that can go on answers within this time after its disk is well again. */
const recoveryMs = 10_000

export class Scenario {
  /** @type {string[]} */
  figures = []
  /** @type {string[]} */
  wrong = []
  client = new Client()
  /** @type {RunningService | undefined} */
  service

  /** @param {import('./place.mjs').Place} place */
  constructor(place) {
    this.place = place
  }

  /** Starts the service, which has to start. */
  async start() {
    this.service = await RunningService.start(this.place)
    if (!this.service.isRunning) throw new Error(this.service.takeErrors())
    this.client.address = this.service.address
  }

  /**
   * Starts the service, which must not start, and has to say why.
   *
   * @param {RegExp} expected
   */
  async refuseStart(expected) {
    const service = await RunningService.start(this.place)
    if (service.isRunning) {
      this.wrong.push('the service starts')
      await service.stop()
      return
    }
    const errors = service.takeErrors().trim()
    this.figures.push(`start: exit code ${service.exitCode}, ${errors.split('\n')[0]}`)
    if (!expected.test(errors)) this.wrong.push(`the start says '${errors}', not ${expected}`)
    if (/\n\s+at /.test(errors)) this.wrong.push(`the start prints a stack: ${errors}`)
  }

  /** Closes the service, which has to say so if that fails. */
  async stop() {
    await this.service?.stop()
    const { exitCode } = this.service ?? {}
    const errors = this.service?.takeErrors().trim() ?? ''
    if (exitCode === 0) return
    this.figures.push(`stop: exit code ${exitCode}, ${errors.split('\n')[0]}`)
    if (exitCode !== 1 || errors === '') this.wrong.push(`the stop has exit code ${exitCode}`)
  }

  /** Acknowledged writes before the fault. @param {number} count */
  async writeAll(count) {
    for (let index = 0; index < count; index++)
      if (!(await this.client.write())) this.wrong.push('a write fails before the fault')
    this.client.takeAnswers()
    this.service?.takeErrors()
  }

  /**
   * Sends requests while the disk fails. Each of them has to succeed, or to be a 503 that says when
   * to come again, and writes have to fail.
   *
   * @param {number} rounds each has two writes, two reads and a list
   */
  async sendDuring(rounds = 6) {
    let isWritten = false
    for (let round = 0; round < rounds; round++) {
      isWritten = await this.client.write()
      await this.client.read()
      await this.client.list()
    }
    if (isWritten) this.wrong.push('writes go on')
    const answers = this.client.takeAnswers()
    /** @type {Map<string, number>} */
    const counts = new Map()
    for (const { status, code, hasRetryAfter } of answers) {
      const text = `${status}${code ? ` ${code}` : ''}`
      counts.set(text, (counts.get(text) ?? 0) + 1)
      const isExpected = (status > 0 && status < 400) || (status === 503 && hasRetryAfter)
      if (!isExpected) this.wrong.push(`an answer is ${text}`)
    }
    const times = [...counts].map(([text, count]) => `${count} × ${text}`).join(', ')
    this.figures.push(`while it fails: ${times}`)
    const logged = this.service?.takeErrors().trim() ?? ''
    if (logged) this.figures.push(`log: ${logged.split('\n')[0]}`)
    if (!this.service?.isRunning) this.wrong.push(`the process has ended: ${logged}`)
  }

  /** The disk is well again: the same process has to go on, and to have all it acknowledged. */
  async expectRecovery() {
    const startedAt = performance.now()
    while (!(await this.client.write()) || !(await this.client.read())) {
      if (performance.now() - startedAt > recoveryMs) {
        const { status, code } = this.client.takeAnswers().at(-1) ?? {}
        this.wrong.push(`the service does not go on: ${status} ${code}`)
        return
      }
      await wait(50)
    }
    this.client.takeAnswers()
    this.figures.push(`goes on after ${Math.round(performance.now() - startedAt)} ms`)
  }

  /** Looks for all that the service acknowledged, and ends it. */
  async expectNothingLost() {
    const lost = await this.client.findLost()
    this.figures.push(`then: ${lost.length} of ${this.client.acknowledged.size} lost`)
    this.wrong.push(...lost.slice(0, 3))
    await this.stop()
  }
}
