import { language } from './language.ts'
import './styles.css'
import { loadTexts } from './t.ts'

document.documentElement.lang = language
void loadTexts().then(() => import('./app.tsx'))
