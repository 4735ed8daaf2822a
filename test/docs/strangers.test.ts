import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it.each([
  ['policy', 'test/strangers/bare-arrays.ts'],
  ['store', 'test/strangers/map-store.ts'],
])('the guide shows the %s that passes its contract', (_, path) => {
  const textOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
  expect(textOf('docs/guide/your-own-policy-or-store.md')).toContain(
    `\`\`\`ts\n${textOf(path)}\`\`\`\n`,
  )
})
