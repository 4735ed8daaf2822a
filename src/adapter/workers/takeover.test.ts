import { expect, it } from 'vitest'
import { Takeover } from './takeover.ts'
import type { Worker } from './worker.ts'

/** A worker without a process, which notes what it is asked. */
function fakeWorker(port?: number) {
  const asked: string[] = []
  let end = (): void => {}
  let paused = (): void => {}
  const worker = {
    isReady: true,
    isClosing: false,
    ended: new Promise<void>((resolve) => {
      end = resolve
    }),
    pause: () => {
      asked.push('pause')
      return new Promise<void>((resolve) => {
        paused = resolve
      })
    },
    resume: () => void asked.push('resume'),
    forwardTo: (to: number) => void asked.push(`forward to ${to}`),
    stopForwardingTo: (to: number) => void asked.push(`stop ${to}`),
    acceptForwarded: async () => {
      asked.push('accept')
      return port
    },
    refuseForwarded: () => void asked.push('refuse'),
  }
  return {
    asked,
    fake: worker,
    worker: worker as unknown as Worker,
    paused: () => paused(),
    async end() {
      end()
      await worker.ended
    },
  }
}

it('asks nothing of new workers where no other has paused', async () => {
  const takeover = new Takeover()
  await takeover.pause([], fakeWorker().worker)
  const young = fakeWorker(1)
  await takeover.addNewWorker(young.worker)
  expect([takeover.isUnderWay, young.asked]).toEqual([false, []])
})

it('pauses the workers that are ready, and waits for all of them', async () => {
  const takeover = new Takeover()
  const [one, other, starting, closing] = [1, 2, 3, 4].map(() => fakeWorker())
  starting!.fake.isReady = false
  closing!.fake.isClosing = true
  let isPaused = false
  const pausing = takeover
    .pause(
      [one, other, starting, closing].map((each) => each!.worker),
      fakeWorker().worker,
    )
    .then(() => {
      isPaused = true
    })
  one!.paused()
  await Promise.resolve()
  expect(isPaused).toBe(false)
  other!.paused()
  await pausing
  expect([one, other, starting, closing].map((each) => each!.asked)).toEqual([
    ['pause'],
    ['pause'],
    [],
    [],
  ])
})

it('lets them forward to each new worker, which accepts that until all have ended', async () => {
  const takeover = new Takeover()
  const [one, other] = [fakeWorker(), fakeWorker()]
  void takeover.pause([one.worker, other.worker], fakeWorker().worker)
  const [first, silent, next] = [fakeWorker(81), fakeWorker(undefined), fakeWorker(82)]
  for (const { worker } of [first, silent, next]) await takeover.addNewWorker(worker)
  expect(one.asked).toEqual(['pause', 'forward to 81', 'forward to 82'])
  expect(other.asked).toEqual(one.asked)
  await one.end()
  expect([takeover.isUnderWay, first.asked]).toEqual([true, ['accept']])
  await other.end()
  expect(takeover.isUnderWay).toBe(false)
  expect([first, silent, next].map(({ asked }) => asked)).toEqual([
    ['accept', 'refuse'],
    ['accept'],
    ['accept', 'refuse'],
  ])
})

it('lets them go on where no new worker is left, and forward to one that follows', async () => {
  const takeover = new Takeover()
  const [old, young, next] = [fakeWorker(), fakeWorker(81), fakeWorker(82)]
  void takeover.pause([old.worker], young.worker)
  await takeover.addNewWorker(young.worker)
  takeover.resume()
  expect([takeover.hasNewWorker, old.asked]).toEqual([true, ['pause', 'forward to 81']])
  young.fake.isClosing = true
  takeover.resume()
  expect([takeover.hasNewWorker, old.asked.at(-1)]).toEqual([false, 'resume'])
  // The store may have changed, so that the old one can do nothing but forward.
  await takeover.addNewWorker(next.worker)
  expect([takeover.isUnderWay, old.asked.at(-1)]).toEqual([true, 'forward to 82'])
})

it('lets them go on while a change waits, unless another worker changes the store', async () => {
  const takeover = new Takeover()
  const [old, young, other] = [fakeWorker(), fakeWorker(81), fakeWorker(82)]
  for (const { worker } of [young, other, young]) {
    void takeover.pause([old.worker], worker)
    takeover.resumeFor(young.worker)
  }
  expect(old.asked).toEqual(['pause', 'resume', 'pause', 'pause'])
  await other.end()
  takeover.resumeFor(young.worker)
  expect(old.asked.at(-1)).toBe('resume')
})

it('tells them that the port of a new worker is gone once that has ended', async () => {
  const takeover = new Takeover()
  const [old, young] = [fakeWorker(), fakeWorker(81)]
  void takeover.pause([old.worker], young.worker)
  await takeover.addNewWorker(young.worker)
  await young.end()
  expect([takeover.hasNewWorker, old.asked]).toEqual([false, ['pause', 'forward to 81', 'stop 81']])
})
