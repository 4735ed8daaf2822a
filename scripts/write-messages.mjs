// Writes docs/messages.md from the texts in the code, so that it cannot say anything else.
import { writeFileSync } from 'node:fs'
import { messagesDocument, readMessages } from './messages-document.mjs'

writeFileSync('docs/messages.md', messagesDocument(await readMessages()))
