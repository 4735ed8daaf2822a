import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { unfinishedBodyBytes } from '../../src/http/unfinished-bodies.ts'

const mebibyte = 1_048_576

it.each([
  ['lines of a strict request', 'handling=strict', `{"title":"${'x'.repeat(10_000)}"}\n`],
  ['a line without an end', 'handling=lenient', 'x'],
])(
  'clients that stop within %s share an amount of memory, and the first gives way',
  async (_, prefer, text) => {
    const router = createRouter({ policy: rest({ jsonLines: true }), store: memory() })
    router.prepare(model('book', { title: z.string() }))
    const chunk = Buffer.from(text.repeat(Math.floor((0.9 * mebibyte) / text.length)))
    const ends: (() => void)[] = []
    let refused = 0
    const post = () =>
      router
        .handle(
          new Request('http://localhost/books', {
            method: 'POST',
            headers: { 'content-type': 'application/jsonl', prefer },
            body: new ReadableStream<Uint8Array>({
              start: (controller) => {
                controller.enqueue(chunk)
                ends.push(() => controller.close())
              },
            }),
            duplex: 'half',
          }),
        )
        .then(async (response) => {
          if (response.status === 503 || (await response.text()).includes('"overloaded"')) refused++
        })
    const waiting = Array.from({ length: 90 }, post)
    // Each has 0.9 MiB, and all together 64 MiB.
    while (refused < 90 - 71) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(unfinishedBodyBytes()).toBeLessThanOrEqual(64 * mebibyte)
    for (const end of ends)
      try {
        end()
      } catch {
        // It was refused.
      }
    await Promise.all(waiting)
    expect(refused).toBe(90 - 71)
    expect(unfinishedBodyBytes()).toBe(0)
    await router.close()
  },
)
