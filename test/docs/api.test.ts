import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { apiReport } from '../../scripts/api-report.mjs'

const folder = new URL('../../docs/api/', import.meta.url)

describe('The public names', () => {
  const { reports, missing } = apiReport()

  it('are those that docs/api shows; npm run api writes them', () => {
    expect(readdirSync(folder).sort()).toEqual([...reports.keys()].sort())
    for (const [name, text] of reports)
      expect(readFileSync(new URL(name, folder), 'utf8'), name).toBe(text)
  })

  it('include every type that stands in a public signature', () => {
    expect(missing).toEqual([])
  })

  it('are incomplete if a signature names a type that no entry point exports', () => {
    const rest = { specifier: 'resourcery/rest', source: resolve('src/policy/rest/rest.ts') }
    expect(apiReport([rest]).missing).toEqual(["'Policy', which 'rest' of 'resourcery/rest' uses"])
    // The compiler reads the whole program, which takes long while other tests run.
  }, 120_000)
})
