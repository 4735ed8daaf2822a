import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { hookApprovals, type OtherUpdate } from './with-approvals.ts'

test('requests that ask hooks of many items at once share the turns of the event loop', async () => {
  let asked = 0
  let isDone = false
  const hook = () => {
    asked++
    const end = performance.now() + 1
    while (performance.now() < end);
    return undefined
  }
  const model = { name: 'book' } as ModelDescription
  const update = { rule: undefined, hooks: [{ run: hook }] } as unknown as OtherUpdate
  const context = {
    rule: {},
    request: {},
    signal: new AbortController().signal,
  } as unknown as Context
  const ids = Array.from({ length: 10 }, (_, n) => `${n}`)
  const all = Promise.all(
    Array.from({ length: 40 }, () =>
      hookApprovals(new Map([[model, update]]), context).request({ model, ids }),
    ),
  ).then(() => {
    isDone = true
  })
  let most = 0
  for (let before = asked; !isDone; before = asked) {
    await setImmediate()
    most = Math.max(most, asked - before)
  }
  await all
  expect(asked).toBe(400)
  // Each by itself would ask for 5 ms: 200 in a turn.
  expect(most).toBeLessThan(60)
})
