import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { limitsDocument } from '../../scripts/limits-document.mjs'

const load = (path: string): Promise<Record<string, unknown>> =>
  import(/* @vite-ignore */ new URL(`../../src/${path}.ts`, import.meta.url).href)

it('docs/limits.md lists the limits as they are in the code', async () => {
  expect(readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8')).toBe(await limitsDocument(load))
})

it('a limit that nobody describes is refused', async () => {
  const more = async (path: string) => {
    const module = await load(path)
    return path === 'rule/limits'
      ? { ...module, defaultLimits: { ...Object(module.defaultLimits), newOne: 1 } }
      : module
  }
  await expect(limitsDocument(more)).rejects.toThrow('newOne')
})
