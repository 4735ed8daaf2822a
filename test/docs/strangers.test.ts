import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

it('the guide shows the policy that passes the contract of policies', () => {
  const textOf = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  expect(textOf('docs/guide/your-own-policy-or-store.md')).toContain(
    `\`\`\`ts\n${textOf('test/strangers/bare-arrays.ts')}\`\`\`\n`,
  )
})
