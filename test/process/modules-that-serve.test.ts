import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { root, temporaryFolder } from '../support/documentation.ts'

it.each([
  ['plan', 0, 'Nothing to do.'],
  ['consumers', 0, 'No consumers.'],
  ['prune', 0, 'Nothing to drop.'],
  ['jobs --run daily', 2, "Unknown job 'daily'; expected one of none."],
])('resourcery %s ends with a module that serves', (command, exitCode, text) => {
  const folder = temporaryFolder('serving')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'server.mjs')
  writeFileSync(
    file,
    `import { createRouter, model } from 'resourcery'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
export const router = createRouter({
  policy: rest(),
  store: sqlite(${JSON.stringify(join(folder, 'data.db'))}),
})
router.prepare(model('book', {}))
await serve(router, { port: 0 })
`,
  )
  const [name, ...options] = command.split(' ')
  const cli = join(root, 'dist/tools/cli/resourcery.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, name!, file, ...options], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect({ status, output: `${stdout}${stderr}` }).toEqual({
    status: exitCode,
    output: expect.stringContaining(text),
  })
})
