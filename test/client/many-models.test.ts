import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rest } from 'resourcery/rest'
import { expect, test } from 'vitest'
import { manyModels, routerOver } from '../../bench/many-models.mjs'
import { writeClient } from '../../src/tools/client/write-client.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** How many types the checker instantiates for a program that uses the client of so many models. */
function instantiationsOf(modelCount: number): {
  readonly count: number
  readonly seconds: string
} {
  const folder = mkdtempSync(join(root, 'test/client/many-'))
  try {
    const router = routerOver(manyModels(modelCount, 'plain'), rest())
    const text = writeClient(router.toOpenApi({ info: { title: 'Many', version: '1' } }))
    const [plural] = /(?<=export type Api = \{\n {2}readonly )\w+/.exec(text)!
    const [include] = /(?<=Include = ')[\w]+/.exec(text) ?? ['']
    writeFileSync(join(folder, 'api.ts'), text)
    writeFileSync(
      join(folder, 'use.ts'),
      `import { createClient } from 'resourcery/client'
import { manifest } from './api.ts'
const api = createClient(manifest, { url: '' })
export const list = await api.${plural}.list({ ${include && `include: ['${include}'], `}page: { size: 1 } })
export const item = await api.${plural}.get('a')
`,
    )
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../../tsconfig.json', include: ['*.ts'] }),
    )
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const report = execFileSync(
      process.execPath,
      [tsc, '-p', folder, '--extendedDiagnostics', '--singleThreaded'],
      { encoding: 'utf8' },
    )
    return {
      count: Number(/Instantiations:\s+(\d+)/.exec(report)![1]),
      seconds: /Total time:\s+([\d.]+)/.exec(report)![1]!,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('Each further model costs the compiler little', () => {
  const few = instantiationsOf(10)
  const many = instantiationsOf(100)
  console.log(
    `10 models: ${few.count} instantiations; 100 models: ${many.count}, ${many.seconds} s of tsc.`,
  )
  expect((many.count - few.count) / 90).toBeLessThan(200)
}, 120_000)
