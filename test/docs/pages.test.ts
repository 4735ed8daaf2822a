import { rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createRouter, model, printRules } from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routerOptions } from '../../src/api/router-options.ts'
import { securityOptions } from '../../src/api/security-options.ts'
import { routerByCallerOptions } from '../../src/api/stores-by-caller/router-by-caller-options.ts'
import { timeoutOptions } from '../../src/api/timeout-options.ts'
import { type RunningBookstore, startBookstore } from '../support/bookstore-process.ts'
import { compilerOutput } from '../support/compiler-output.ts'
import { startConference } from '../support/conference-service.ts'
import {
  blocksOf,
  type Page,
  pageAt,
  pagesIn,
  proseOf,
  root,
  temporaryFolder,
} from '../support/documentation.ts'
import { isRequest, isServer, withResponses } from '../support/documented-service.ts'

const readme = pageAt('README.md')
const guide = pagesIn('docs/guide')
const pages = [readme, ...guide]

/**
 * The responses stand in the pages: `npx vitest run test/docs/pages.test.ts -u` writes them anew,
 * so that each change of them is seen and judged.
 */
describe('The documents show the responses that the service gives', () => {
  let bookstore: RunningBookstore
  let conference: Awaited<ReturnType<typeof startConference>>

  beforeAll(async () => {
    bookstore = await startBookstore({ DATABASE_URL: 'memory:' })
    conference = await startConference()
  })
  afterAll(async () => {
    await conference.close()
    await bookstore.stop()
  })

  const withRequests = pages.filter((page) => {
    const blocks = blocksOf(page)
    return blocks.some((block, index) => isServer(block) || isRequest(block, blocks[index + 1]))
  })

  it.each(withRequests)('in $path', async (page) => {
    const service = basename(page.path) === 'conference.md' ? conference : bookstore
    await expect(await withResponses(page, service.address)).toMatchFileSnapshot(
      join(root, page.path),
    )
  })
})

describe('The code of the documents', () => {
  it('compiles', () => {
    const files = pages
      .flatMap(compiledBlocks)
      .map(({ path, code, index }) => [`${basename(path)}-${index}.ts`, code] as const)
    expect(compilerOutput(new Map([...files, ...clientFiles()]))).toBe('')
  }, 120_000)
})

describe('The tests that docs/guide/testing.md shows', async () => {
  const folder = temporaryFolder('tests')
  const shown = guide.filter(({ path }) => basename(path) === 'testing.md').flatMap(compiledBlocks)
  for (const { code, index } of shown) {
    const file = join(folder, `shown-${index}.ts`)
    writeFileSync(file, code)
    await import(file)
  }
  rmSync(folder, { recursive: true })
})

describe('Every page of the guide', () => {
  it.each(guide)(
    '$path has one title, and says at once what its reader can do afterwards',
    (page) => {
      expect(page.text).toMatch(
        /^# [^\n]+\n\n(?:After reading this page you can|This guide shows) /,
      )
      expect(proseOf(page).match(/^# /gm)).toHaveLength(1)
    },
  )

  it.each(pages)('$path has one sentence on each line', (page) => {
    const lines = proseOf(page)
      .split('\n')
      .map((line) => line.replace(/^\s*(?:-|\d+\.) /, ''))
    expect(
      lines.filter((line) => !line.startsWith('|') && /[.?!][)"*`]* [A-Z`*]/.test(line)),
    ).toEqual([])
  })

  it.each(guide.filter(({ path }) => basename(path) !== 'README.md'))(
    '$path is listed in the index',
    ({ path }) => {
      const index = guide.find((page) => basename(page.path) === 'README.md')
      expect(index?.text).toContain(`](${basename(path)})`)
    },
  )
})

it('The README is short, and its first service is a file for bare Node.js', () => {
  expect(readme.text.split('\n').length).toBeLessThanOrEqual(200)
  expect(blocksOf(readme).find(({ language }) => language !== 'sh')).toSatisfy(isServer)
})

it('docs/guide/getting-started.md shows the routing table that the service prints', () => {
  const router = createRouter({ policy: rest(), store: memory() })
  router.prepare(model('author', {}))
  router.prepare(model('book', {}))
  const shown = guide.flatMap(blocksOf).find(({ code }) => code.startsWith('GET    /authors'))
  expect(shown?.code.trim()).toBe(printRules(router.rules))
})

describe('The tables of the guide', () => {
  const textOf = (name: string) =>
    guide.find(({ path }) => basename(path) === `${name}.md`)?.text ?? ''
  const sectionOf = (name: string, heading: string) =>
    textOf(name)
      .split(/^## /m)
      .find((one) => one.startsWith(heading))
  it('list every option of createRouter', () => {
    const rows =
      sectionOf('deployment', 'Options of a router')?.matchAll(/^\| `([\w.]+)` \|/gm) ?? []
    const groups: Readonly<Record<string, object>> = {
      security: securityOptions,
      timeouts: timeoutOptions,
    }
    const expected = Object.keys({ ...routerOptions, ...routerByCallerOptions }).flatMap((name) =>
      groups[name] ? Object.keys(groups[name]).map((member) => `${name}.${member}`) : [name],
    )
    expect(Array.from(rows, ([, name]) => name).toSorted()).toEqual(expected.toSorted())
  })
})

/** The files that the blocks of the page about the client import. */
function clientFiles(): ReadonlyMap<string, string> {
  const page = pageAt('docs/guide/client.md')
  const { code } = blocksOf(page).find((block) => block.code.includes('export const api'))!
  const { text } = pageAt('test/client/generated/bookstore.ts')
  return new Map([
    ['api.ts', text],
    ['shop.ts', code],
  ])
}

/** What uses a generated client is compiled where such clients are made. */
function compiledBlocks(page: Page) {
  return blocksOf(page).flatMap(({ language, code }, index) =>
    language === 'ts' && !code.includes('openapi-fetch') ? [{ path: page.path, code, index }] : [],
  )
}
