import { language } from './language.ts'
import './styles.css'
import { loadTexts } from './t.ts'

document.documentElement.lang = language
// If the texts cannot be loaded, the page stays in English.
void loadTexts()
  .catch(() => {})
  .then(() => import('./app.tsx'))
