import { expect, it } from 'vitest'
import { createStartScriptPage } from './start-script.ts'

it('The script that starts the reference is made once for each document', async () => {
  let made = 0
  const start = {
    signIn: [],
    get introduction() {
      made++
      return 'Read this first.'
    },
  }
  const page = createStartScriptPage(() => start, undefined)
  const respond = () => page.respond({ method: 'GET', headers: {} } as never, undefined)
  const [first, second] = [await respond(), await respond()]
  expect(first).toMatchObject({ status: 200, headers: { etag: expect.any(String) } })
  expect(second).toEqual(first)
  expect(made).toBe(1)
})
