import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

/** The decisions of V8 that a place of the code allocates what lives for long, after a burst. */
function decisionsAfter(start: string): number {
  const program = `
    import { setFlagsFromString } from 'node:v8'
    import { createRouter } from 'resourcery'
    import { memory } from 'resourcery/memory'
    import { serve } from 'resourcery/node'
    import { rest } from 'resourcery/rest'

    const router = createRouter({ policy: rest(), store: memory() })
    ${start}
    setFlagsFromString('--trace-pretenuring-statistics')
    const itemOf = (number) => ({ number, tags: ['a', 'b' + number] })
    const burst = []
    for (let number = 0; number < 300_000; number++) burst.push(itemOf(number))
    process.exit(burst.length === 300_000 ? 0 : 1)
  `
  const args = ['--input-type=module', '--eval', program]
  const cwd = fileURLToPath(new URL('../..', import.meta.url))
  const output = execFileSync(process.execPath, args, { cwd, encoding: 'utf8' })
  return output.match(/=> tenure/g)?.length ?? 0
}

it('a burst does not lead V8 to allocate what a served process makes in the old space', () => {
  expect(decisionsAfter('')).toBeGreaterThan(0)
  expect(decisionsAfter('await serve(router)')).toBe(0)
})
