    case ${index}: {
${body}
    }
