import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import spectralCore from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'
import type { OpenApiVersion } from 'resourcery/openapi'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from './scenarios/all.ts'

const versions: readonly OpenApiVersion[] = ['3.0.4', '3.1.2', '3.2.0']
const documents = [
  ...versions.flatMap((version) =>
    scenarios.map(({ name, router }) => ({
      name: `${name} ${version}`,
      document: router.toOpenApi({ version }),
    })),
  ),
  // Defects that linters have to find, which proves that they run.
  {
    name: 'faulty',
    document: {
      openapi: '3.1.2',
      info: { title: '' },
      paths: { '/a': { get: { responses: {} } } },
    },
  },
].map(({ name, document }) => ({ name, text: JSON.stringify(document) }))
const ours = documents.filter(({ name }) => name !== 'faulty').map(({ name }) => name)

describe('Redocly, recommended-strict, reports nothing', () => {
  const folder = mkdtempSync(join(tmpdir(), 'redocly-'))
  let problems: ReadonlyMap<string, readonly string[]>
  afterAll(() => rmSync(folder, { recursive: true }))

  beforeAll(async () => {
    for (const { name, text } of documents) writeFileSync(join(folder, `${name}.json`), text)
    const cli = createRequire(import.meta.url).resolve('@redocly/cli/bin/cli.js')
    const args = ['lint', '--extends=recommended-strict', '--format=json', '--max-problems=1000']
    const run = promisify(execFile)(
      process.execPath,
      [cli, ...args, ...documents.map(({ name }) => `${name}.json`)],
      {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
        maxBuffer: 64 * 1024 * 1024,
      },
    )
    // It exits with an error when it finds a problem, as in the faulty document.
    const { stdout } = await run.catch((ended: { stdout: string }) => ended)
    problems = problemsIn(stdout)
  }, 240_000)

  it.each(ours)('for the document of %s', (name) => {
    expect(problems.get(name)).toEqual([])
  })

  it('but reports a faulty document', () => {
    expect(problems.get('faulty')?.join('\n')).toMatch(/operationId/)
  })

  /** One JSON text for each document, in the order they were given. */
  function problemsIn(output: string) {
    const texts = output.split(/(?<=^\})(?=\{)/m)
    expect(texts).toHaveLength(documents.length)
    return new Map(
      texts.map((text, index) => [
        documents[index]!.name,
        (JSON.parse(text) as LinterReport).problems.map(
          ({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`,
        ),
      ]),
    )
  }
})

interface LinterReport {
  readonly problems: readonly {
    readonly ruleId: string
    readonly message: string
    readonly location: readonly { readonly pointer: string }[]
  }[]
}

describe('Spectral, with all its rules for OpenAPI, reports nothing', () => {
  const spectral = new spectralCore.Spectral()
  // biome-ignore lint/suspicious/noExplicitAny: the types of the ruleset and of the core come from two versions of one package
  const { rules, ...others } = oas as any
  spectral.setRuleset({
    extends: [[{ rules, ...others }, 'all']],
    rules: {
      // License identifiers and addresses are mutually exclusive.
      'license-url': 'off',
      // Tags stand in the order of registration: a page begins with what the service is about.
      'openapi-tags-alphabetical': 'off',
      // The items of a tuple are `false`.
      'array-items': {
        ...rules['array-items'],
        given: "$..[?(@ && @.type=='array' && !@.prefixItems)]",
      },
    },
  })
  const problemsOf = async (text: string) =>
    (await spectral.run(text)).map(
      ({ code, message, path }) => `${code} at ${path.join('/')}: ${message}`,
    )

  it.each(documents.filter(({ name }) => ours.includes(name)))(
    'to the document of $name',
    async ({ text }) => {
      expect(await problemsOf(text)).toEqual([])
    },
  )

  it('but reports a faulty document', async () => {
    expect(await problemsOf(documents.at(-1)!.text)).toContainEqual(
      expect.stringContaining('operation-operationId'),
    )
  })
})
