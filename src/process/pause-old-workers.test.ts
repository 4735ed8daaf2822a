import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { othersPausedKind, pauseOldWorkers, resumeOldWorkers } from './pause-old-workers.ts'

vi.mock('./worker-process.ts', () => ({ isWorker: () => true }))

const { connected, send } = process
let sent: unknown[] = []

beforeEach(() => {
  sent = []
  const sendToPrimary = (...call: readonly unknown[]): boolean => {
    const { kind } = Object(call[0]) as { readonly kind?: string }
    // The runner of tests sends messages of its own.
    if (!kind?.startsWith('resourcery:')) return send ? Reflect.apply(send, process, call) : true
    sent.push(kind)
    if (kind === 'resourcery:pause-others')
      setImmediate(() => process.emit('message', { kind: othersPausedKind }, undefined))
    return true
  }
  Object.assign(process, { connected: true, send: sendToPrimary })
})
afterEach(() => {
  Object.assign(process, { connected, send })
})

it('lets old workers go on once no store of the process is about to change', async () => {
  await Promise.all([pauseOldWorkers(), pauseOldWorkers()])
  resumeOldWorkers()
  expect(sent).toEqual(['resourcery:pause-others', 'resourcery:pause-others'])
  await pauseOldWorkers()
  resumeOldWorkers()
  resumeOldWorkers()
  expect(sent.slice(2)).toEqual(['resourcery:pause-others', 'resourcery:resume-others'])
})
