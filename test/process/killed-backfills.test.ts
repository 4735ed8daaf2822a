import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

const folder = mkdtempSync(join(tmpdir(), 'killed-backfills-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const itemCount = 400
const ids = Array.from({ length: itemCount }, (_, index) => `t${String(index).padStart(4, '0')}`)

/** Opens a service over the file, and prints how far the backfill is, and each call of it. */
const program = (file: string, options: object, run: string) => `
import { setTimeout as wait } from 'node:timers/promises'
import { createRouter, field, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
const store = sqlite(${JSON.stringify(file)}, ${JSON.stringify(options)})
const onProgress = ({ done }) => console.log('done ' + done)
const router = createRouter({ policy: rest(), store, onProgress })
const backfill = async (old) => {
  console.log('call ' + old.id)
  await wait(1)
  return old.title + ' of ' + ${JSON.stringify(run)}
}
router.prepare(model('talk', { title: z.string(), slug: field(z.string(), { backfill }) }))
await router.open()
await router.close()
`

interface Running {
  /** The items whose values were asked for. */
  readonly called: string[]
  /** How many items a commit has filled in. */
  done(): number
  kill(): void
  readonly exitCode: Promise<number | null>
}

function start(file: string, options: object, run: string): Running {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', program(file, options, run)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const called: string[] = []
  let done = 0
  createInterface({ input: child.stdout }).on('line', (line) => {
    const [kind, value] = line.split(' ')
    if (kind === 'call') called.push(value!)
    else done = Number(value)
  })
  return {
    called,
    done: () => done,
    kill: () => void child.kill('SIGKILL'),
    exitCode: once(child, 'close').then(([code]) => code),
  }
}

it.each([
  ['documents', {}],
  ['ordinary tables', { layout: 'tables' }],
] as const)(
  'a start goes on with a backfill that was killed, and keeps what it had done, in %s',
  async (name, options) => {
    const file = join(folder, `${name}.db`)
    const before = createRouter({ policy: rest(), store: sqlite(file, options) })
    const Before = model('talk', { title: z.string() })
    before.prepare(Before)
    await before.load(
      Before,
      ids.map((id) => ({ id, title: `T ${id}` })),
    )
    await before.close()

    const first = start(file, options, 'the first')
    while (first.done() < itemCount / 4) await new Promise((resolve) => setTimeout(resolve, 5))
    first.kill()
    await first.exitCode
    expect(first.called.length).toBeLessThan(itemCount)

    const second = start(file, options, 'the second')
    expect(await second.exitCode).toBe(0)
    // The items are filled in by their ids, and those of a commit are never asked for again.
    expect(second.called.length).toBeGreaterThan(0)
    expect(second.called).toEqual(ids.slice(itemCount - second.called.length))
    expect(itemCount - second.called.length).toBeGreaterThanOrEqual(first.done())

    const third = start(file, options, 'the third')
    expect(await third.exitCode).toBe(0)
    expect(third.called).toEqual([])

    const after = createRouter({ policy: rest(), store: sqlite(file, options) })
    const After = model('talk', { title: z.string(), slug: z.string() })
    after.prepare(After)
    const items = await after.items(After).all()
    await after.close()
    const bySecond = new Set(second.called)
    expect(items.map(({ id, slug }) => [id, slug])).toEqual(
      ids.map((id) => [id, `T ${id} of the ${bySecond.has(id) ? 'second' : 'first'}`]),
    )
  },
  60_000,
)
